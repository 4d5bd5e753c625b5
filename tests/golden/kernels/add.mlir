module {
	func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: !sdscbundle.input_arg<index>, %arg_2_base_addr: !sdscbundle.input_arg<index>) {
		%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_0_core_offset_16384 = arith.constant 16384 : index
		%arg_0_core_16384 = arith.addi %arg_0, %arg_0_core_offset_16384 : index
		%arg_0_core_offset_32768 = arith.constant 32768 : index
		%arg_0_core_32768 = arith.addi %arg_0, %arg_0_core_offset_32768 : index
		%arg_0_core_offset_49152 = arith.constant 49152 : index
		%arg_0_core_49152 = arith.addi %arg_0, %arg_0_core_offset_49152 : index
		%arg_1_core_offset_16384 = arith.constant 16384 : index
		%arg_1_core_16384 = arith.addi %arg_1, %arg_1_core_offset_16384 : index
		%arg_1_core_offset_32768 = arith.constant 32768 : index
		%arg_1_core_32768 = arith.addi %arg_1, %arg_1_core_offset_32768 : index
		%arg_1_core_offset_49152 = arith.constant 49152 : index
		%arg_1_core_49152 = arith.addi %arg_1, %arg_1_core_offset_49152 : index
		%arg_2_core_offset_16384 = arith.constant 16384 : index
		%arg_2_core_16384 = arith.addi %arg_2, %arg_2_core_offset_16384 : index
		%arg_2_core_offset_32768 = arith.constant 32768 : index
		%arg_2_core_32768 = arith.addi %arg_2, %arg_2_core_offset_32768 : index
		%arg_2_core_offset_49152 = arith.constant 49152 : index
		%arg_2_core_49152 = arith.addi %arg_2, %arg_2_core_offset_49152 : index
		sdscbundle.sdsc_execute (%arg_0, %arg_0_core_16384, %arg_0_core_32768, %arg_0_core_49152, %arg_1, %arg_1_core_16384, %arg_1_core_32768, %arg_1_core_49152, %arg_2, %arg_2_core_16384, %arg_2_core_32768, %arg_2_core_49152) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12]}
		return
	}
}
