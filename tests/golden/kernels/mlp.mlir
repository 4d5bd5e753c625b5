module {
	func.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: !sdscbundle.input_arg<index>, %arg_2_base_addr: !sdscbundle.input_arg<index>, %arg_3_base_addr: !sdscbundle.input_arg<index>, %arg_4_base_addr: !sdscbundle.input_arg<index>, %arg_5_base_addr: !sdscbundle.input_arg<index>) {
		%pool = sdscbundle.device_mem_allocate 2359296 bytes : index
		%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_3 = sdscbundle.input_arg_extract value from %arg_3_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_4 = sdscbundle.input_arg_extract value from %arg_4_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_5 = sdscbundle.input_arg_extract value from %arg_5_base_addr : !sdscbundle.input_arg<index> -> index
		%arg_1_core_offset_2097152 = arith.constant 2097152 : index
		%arg_1_core_2097152 = arith.addi %arg_1, %arg_1_core_offset_2097152 : index
		%arg_1_core_offset_4194304 = arith.constant 4194304 : index
		%arg_1_core_4194304 = arith.addi %arg_1, %arg_1_core_offset_4194304 : index
		%arg_1_core_offset_6291456 = arith.constant 6291456 : index
		%arg_1_core_6291456 = arith.addi %arg_1, %arg_1_core_offset_6291456 : index
		%pool_offset_0 = arith.constant 0 : index
		%pool_addr_0 = arith.addi %pool, %pool_offset_0 : index
		%pool_offset_262144 = arith.constant 262144 : index
		%pool_addr_262144 = arith.addi %pool, %pool_offset_262144 : index
		%pool_offset_524288 = arith.constant 524288 : index
		%pool_addr_524288 = arith.addi %pool, %pool_offset_524288 : index
		%pool_offset_786432 = arith.constant 786432 : index
		%pool_addr_786432 = arith.addi %pool, %pool_offset_786432 : index
		%pool_offset_4096 = arith.constant 4096 : index
		%pool_addr_4096 = arith.addi %pool, %pool_offset_4096 : index
		%pool_offset_8192 = arith.constant 8192 : index
		%pool_addr_8192 = arith.addi %pool, %pool_offset_8192 : index
		%pool_offset_12288 = arith.constant 12288 : index
		%pool_addr_12288 = arith.addi %pool, %pool_offset_12288 : index
		%pool_offset_1048576 = arith.constant 1048576 : index
		%pool_addr_1048576 = arith.addi %pool, %pool_offset_1048576 : index
		%pool_offset_1052672 = arith.constant 1052672 : index
		%pool_addr_1052672 = arith.addi %pool, %pool_offset_1052672 : index
		%pool_offset_1056768 = arith.constant 1056768 : index
		%pool_addr_1056768 = arith.addi %pool, %pool_offset_1056768 : index
		%pool_offset_1060864 = arith.constant 1060864 : index
		%pool_addr_1060864 = arith.addi %pool, %pool_offset_1060864 : index
		%arg_3_core_offset_4194304 = arith.constant 4194304 : index
		%arg_3_core_4194304 = arith.addi %arg_3, %arg_3_core_offset_4194304 : index
		%pool_offset_2097152 = arith.constant 2097152 : index
		%pool_addr_2097152 = arith.addi %pool, %pool_offset_2097152 : index
		%pool_offset_2105344 = arith.constant 2105344 : index
		%pool_addr_2105344 = arith.addi %pool, %pool_offset_2105344 : index
		%pool_offset_2228224 = arith.constant 2228224 : index
		%pool_addr_2228224 = arith.addi %pool, %pool_offset_2228224 : index
		%pool_offset_2236416 = arith.constant 2236416 : index
		%pool_addr_2236416 = arith.addi %pool, %pool_offset_2236416 : index
		%pool_offset_2101248 = arith.constant 2101248 : index
		%pool_addr_2101248 = arith.addi %pool, %pool_offset_2101248 : index
		%pool_offset_2109440 = arith.constant 2109440 : index
		%pool_addr_2109440 = arith.addi %pool, %pool_offset_2109440 : index
		%arg_5_core_offset_4096 = arith.constant 4096 : index
		%arg_5_core_4096 = arith.addi %arg_5, %arg_5_core_offset_4096 : index
		%arg_5_core_offset_8192 = arith.constant 8192 : index
		%arg_5_core_8192 = arith.addi %arg_5, %arg_5_core_offset_8192 : index
		%arg_5_core_offset_12288 = arith.constant 12288 : index
		%arg_5_core_12288 = arith.addi %arg_5, %arg_5_core_offset_12288 : index
		sdscbundle.sdsc_execute (%arg_0, %arg_1, %arg_1_core_2097152, %arg_1_core_4194304, %arg_1_core_6291456, %pool_addr_0, %pool_addr_262144, %pool_addr_524288, %pool_addr_786432) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2, -3, -4, -5, -6, -7, -8, -9]}
		sdscbundle.sdsc_execute (%pool_addr_0, %pool_addr_4096, %pool_addr_8192, %pool_addr_12288, %arg_2) {sdsc_filename="sdsc_1.json", "symbol_ids"=[-10, -11, -12, -13, -14]}
		sdscbundle.sdsc_execute (%pool_addr_1048576, %pool_addr_1052672, %pool_addr_1056768, %pool_addr_1060864) {sdsc_filename="sdsc_2.json", "symbol_ids"=[-15, -16, -17, -18]}
		sdscbundle.sdsc_execute (%pool_addr_1048576, %pool_addr_1056768, %arg_3, %arg_3_core_4194304, %pool_addr_2097152, %pool_addr_2105344, %pool_addr_2228224, %pool_addr_2236416) {sdsc_filename="sdsc_3.json", "symbol_ids"=[-19, -20, -21, -22, -23, -24, -25, -26]}
		sdscbundle.sdsc_execute (%pool_addr_2097152, %pool_addr_2101248, %pool_addr_2105344, %pool_addr_2109440, %arg_4, %arg_5, %arg_5_core_4096, %arg_5_core_8192, %arg_5_core_12288) {sdsc_filename="sdsc_4.json", "symbol_ids"=[-27, -28, -29, -30, -31, -32, -33, -34, -35]}
		return
	}
}
