module {
  func.func @kernel0(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 16 : index
    %c3 = arith.constant 128 : index
    %c4 = arith.constant 8 : index
    %id = ktdp.get_compute_tile_id : index
    // 0: add -> add
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        %v1 = ktdp.construct_memory_view %arg0, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v2 = arith.muli %id, %c3 : index
        %v3 = arith.muli %part0_c0, %c4 : index
        %v4 = arith.addi %v2, %v3 : index
        %v5 = ktdp.construct_access_tile %v1[%c0, %v4, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x8x64xindex>
        %v6 = ktdp.load %v5 : !ktdp.access_tile<16x8x64xindex> -> tensor<16x8x64xf16>
        %v7 = tensor.empty() : tensor<8x16x64xf16>
        %v8 = linalg.transpose ins(%v6 : tensor<16x8x64xf16>) outs(%v7 : tensor<8x16x64xf16>) permutation = [1, 0, 2]
        %v9 = tensor.collapse_shape %v8 [[0], [1, 2]] : tensor<8x16x64xf16> into tensor<8x1024xf16>
        %v10 = ktdp.construct_memory_view %arg1, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v11 = arith.muli %id, %c3 : index
        %v12 = arith.muli %part0_c0, %c4 : index
        %v13 = arith.addi %v11, %v12 : index
        %v14 = ktdp.construct_access_tile %v10[%c0, %v13, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x8x64xindex>
        %v15 = ktdp.load %v14 : !ktdp.access_tile<16x8x64xindex> -> tensor<16x8x64xf16>
        %v16 = tensor.empty() : tensor<8x16x64xf16>
        %v17 = linalg.transpose ins(%v15 : tensor<16x8x64xf16>) outs(%v16 : tensor<8x16x64xf16>) permutation = [1, 0, 2]
        %v18 = tensor.collapse_shape %v17 [[0], [1, 2]] : tensor<8x16x64xf16> into tensor<8x1024xf16>
        %v19 = arith.addf %v9, %v18 : tensor<8x1024xf16>
        %v20 = tensor.expand_shape %v19 [[0], [1, 2]] output_shape [8, 16, 64] : tensor<8x1024xf16> into tensor<8x16x64xf16>
        %v21 = tensor.empty() : tensor<16x8x64xf16>
        %v22 = linalg.transpose ins(%v20 : tensor<8x16x64xf16>) outs(%v21 : tensor<16x8x64xf16>) permutation = [1, 0, 2]
        %v23 = ktdp.construct_memory_view %arg2, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v24 = arith.muli %id, %c3 : index
        %v25 = arith.muli %part0_c0, %c4 : index
        %v26 = arith.addi %v24, %v25 : index
        %v27 = ktdp.construct_access_tile %v23[%c0, %v26, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x8x64xindex>
        ktdp.store %v22, %v27 : tensor<16x8x64xf16>, !ktdp.access_tile<16x8x64xindex>
      }
    }
    return
  }
}
