module {
	func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: !sdscbundle.input_arg<index>, %arg_2_base_addr: !sdscbundle.input_arg<index>, %arg_3_base_addr: !sdscbundle.input_arg<index>, %arg_4_base_addr: !sdscbundle.input_arg<index>) {
		%pool = sdscbundle.device_mem_allocate 262144 bytes : index
		%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_3 = sdscbundle.input_arg_extract value from %arg_3_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_4 = sdscbundle.input_arg_extract value from %arg_4_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_0_core_offset_65536 = arith.constant 65536 : index
		%arg_0_core_65536 = arith.addi %arg_0, %arg_0_core_offset_65536 : index
		%arg_0_core_offset_131072 = arith.constant 131072 : index
		%arg_0_core_131072 = arith.addi %arg_0, %arg_0_core_offset_131072 : index
		%arg_0_core_offset_196608 = arith.constant 196608 : index
		%arg_0_core_196608 = arith.addi %arg_0, %arg_0_core_offset_196608 : index
		%pool_offset_0 = arith.constant 0 : index
		%pool_addr_0 = arith.addi %pool, %pool_offset_0 : index
		%pool_offset_1024 = arith.constant 1024 : index
		%pool_addr_1024 = arith.addi %pool, %pool_offset_1024 : index
		%pool_offset_2048 = arith.constant 2048 : index
		%pool_addr_2048 = arith.addi %pool, %pool_offset_2048 : index
		%pool_offset_3072 = arith.constant 3072 : index
		%pool_addr_3072 = arith.addi %pool, %pool_offset_3072 : index
		%arg_1_core_offset_65536 = arith.constant 65536 : index
		%arg_1_core_65536 = arith.addi %arg_1, %arg_1_core_offset_65536 : index
		%arg_1_core_offset_131072 = arith.constant 131072 : index
		%arg_1_core_131072 = arith.addi %arg_1, %arg_1_core_offset_131072 : index
		%arg_1_core_offset_196608 = arith.constant 196608 : index
		%arg_1_core_196608 = arith.addi %arg_1, %arg_1_core_offset_196608 : index
		%arg_3_core_offset_65536 = arith.constant 65536 : index
		%arg_3_core_65536 = arith.addi %arg_3, %arg_3_core_offset_65536 : index
		%arg_3_core_offset_131072 = arith.constant 131072 : index
		%arg_3_core_131072 = arith.addi %arg_3, %arg_3_core_offset_131072 : index
		%arg_3_core_offset_196608 = arith.constant 196608 : index
		%arg_3_core_196608 = arith.addi %arg_3, %arg_3_core_offset_196608 : index
		sdscbundle.sdsc_execute (%arg_0, %arg_0_core_65536, %arg_0_core_131072, %arg_0_core_196608, %pool_addr_0, %pool_addr_1024, %pool_addr_2048, %pool_addr_3072) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2, -3, -4, -5, -6, -7, -8]}
		sdscbundle.sdsc_execute (%arg_1, %arg_1_core_65536, %arg_1_core_131072, %arg_1_core_196608, %pool_addr_0) {sdsc_filename="sdsc_1.json", "symbol_ids"=[-9, -10, -11, -12, -13]}
		sdscbundle.sdsc_execute (%arg_4) {sdsc_filename="sdsc_2.json", "symbol_ids"=[-14]}
		sdscbundle.sdsc_execute () {sdsc_filename="sdsc_3.json", "symbol_ids"=[]}
		sdscbundle.sdsc_execute () {sdsc_filename="sdsc_4.json", "symbol_ids"=[]}
		sdscbundle.sdsc_execute () {sdsc_filename="sdsc_5.json", "symbol_ids"=[]}
		sdscbundle.sdsc_execute () {sdsc_filename="sdsc_6.json", "symbol_ids"=[]}
		sdscbundle.sdsc_execute () {sdsc_filename="sdsc_7.json", "symbol_ids"=[]}
		sdscbundle.sdsc_execute (%arg_2, %arg_3, %arg_3_core_65536, %arg_3_core_131072, %arg_3_core_196608) {sdsc_filename="sdsc_8.json", "symbol_ids"=[-15, -16, -17, -18, -19]}
		return
	}
}
