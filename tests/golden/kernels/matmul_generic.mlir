"builtin.module"() ({
  "func.func"() <{function_type = (index, index, index) -> (), sym_name = "sdsc_bundle"}> ({
  ^bb0(%arg_0_base_addr: index, %arg_1_base_addr: index, %arg_2_base_addr: index):
    %arg_0 = "sdscbundle.input_arg_extract"(%arg_0_base_addr) : (index) -> index
    %arg_1 = "sdscbundle.input_arg_extract"(%arg_1_base_addr) : (index) -> index
    %arg_2 = "sdscbundle.input_arg_extract"(%arg_2_base_addr) : (index) -> index
    %arg_0_core_offset_16384 = "arith.constant"() <{value = 16384 : index}> : () -> index
    %arg_0_core_16384 = "arith.addi"(%arg_0, %arg_0_core_offset_16384) : (index, index) -> index
    %arg_0_core_offset_32768 = "arith.constant"() <{value = 32768 : index}> : () -> index
    %arg_0_core_32768 = "arith.addi"(%arg_0, %arg_0_core_offset_32768) : (index, index) -> index
    %arg_0_core_offset_49152 = "arith.constant"() <{value = 49152 : index}> : () -> index
    %arg_0_core_49152 = "arith.addi"(%arg_0, %arg_0_core_offset_49152) : (index, index) -> index
    %arg_2_core_offset_16384 = "arith.constant"() <{value = 16384 : index}> : () -> index
    %arg_2_core_16384 = "arith.addi"(%arg_2, %arg_2_core_offset_16384) : (index, index) -> index
    %arg_2_core_offset_32768 = "arith.constant"() <{value = 32768 : index}> : () -> index
    %arg_2_core_32768 = "arith.addi"(%arg_2, %arg_2_core_offset_32768) : (index, index) -> index
    %arg_2_core_offset_49152 = "arith.constant"() <{value = 49152 : index}> : () -> index
    %arg_2_core_49152 = "arith.addi"(%arg_2, %arg_2_core_offset_49152) : (index, index) -> index
    "sdscbundle.sdsc_execute"(%arg_0, %arg_0_core_16384, %arg_0_core_32768, %arg_0_core_49152, %arg_1, %arg_2, %arg_2_core_16384, %arg_2_core_32768, %arg_2_core_49152) {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2, -3, -4, -5, -6, -7, -8, -9]} : (index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
