module {
  func.func @kernel0(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 0.000000000e+00 : f32
    %c4 = arith.constant 8 : index
    %c5 = arith.constant 128 : index
    %c6 = arith.constant 64 : index
    %id = ktdp.get_compute_tile_id : index
    // 0: batchmatmul -> matmul
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        scf.for %part0_c1 = %c0 to %c2 step %c1 {
          %v1 = tensor.splat %c3 : tensor<64x128xf32>
          %v2 = scf.for %part0_c2 = %c0 to %c4 step %c1 iter_args(%v3 = %v1) -> (tensor<64x128xf32>) {
            %v4 = ktdp.construct_memory_view %arg0, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
            %v5 = arith.muli %part0_c2, %c2 : index
            %v6 = arith.muli %id, %c5 : index
            %v7 = arith.muli %part0_c0, %c6 : index
            %v8 = arith.addi %v6, %v7 : index
            %v9 = ktdp.construct_access_tile %v4[%v5, %v8, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<2x64x64xindex>
            %v10 = ktdp.load %v9 : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
            %v11 = tensor.empty() : tensor<64x2x64xf16>
            %v12 = linalg.transpose ins(%v10 : tensor<2x64x64xf16>) outs(%v11 : tensor<64x2x64xf16>) permutation = [1, 0, 2]
            %v13 = tensor.collapse_shape %v12 [[0], [1, 2]] : tensor<64x2x64xf16> into tensor<64x128xf16>
            %v14 = ktdp.construct_memory_view %arg1, sizes: [4, 1024, 64], strides: [65536, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1023 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x1024x64xf16>
            %v15 = arith.muli %part0_c1, %c2 : index
            %v16 = arith.muli %part0_c2, %c5 : index
            %v17 = ktdp.construct_access_tile %v14[%v15, %v16, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x1024x64xf16> -> !ktdp.access_tile<2x128x64xindex>
            %v18 = ktdp.load %v17 : !ktdp.access_tile<2x128x64xindex> -> tensor<2x128x64xf16>
            %v19 = tensor.empty() : tensor<2x64x128xf16>
            %v20 = linalg.transpose ins(%v18 : tensor<2x128x64xf16>) outs(%v19 : tensor<2x64x128xf16>) permutation = [0, 2, 1]
            %v21 = tensor.collapse_shape %v20 [[0, 1], [2]] : tensor<2x64x128xf16> into tensor<128x128xf16>
            %v22 = arith.extf %v13 : tensor<64x128xf16> to tensor<64x128xf32>
            %v23 = arith.extf %v21 : tensor<128x128xf16> to tensor<128x128xf32>
            %v24 = tensor.empty() : tensor<128x128xf32>
            %v25 = linalg.transpose ins(%v23 : tensor<128x128xf32>) outs(%v24 : tensor<128x128xf32>) permutation = [1, 0]
            %v26 = tensor.splat %c3 : tensor<64x128xf32>
            %v27 = linalg.matmul ins(%v22, %v25 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%v26 : tensor<64x128xf32>) -> tensor<64x128xf32>
            %v28 = arith.addf %v3, %v27 : tensor<64x128xf32>
            scf.yield %v28 : tensor<64x128xf32>
          }
          %v29 = arith.truncf %v2 : tensor<64x128xf32> to tensor<64x128xf16>
          %v30 = tensor.expand_shape %v29 [[0], [1, 2]] output_shape [64, 2, 64] : tensor<64x128xf16> into tensor<64x2x64xf16>
          %v31 = tensor.empty() : tensor<2x64x64xf16>
          %v32 = linalg.transpose ins(%v30 : tensor<64x2x64xf16>) outs(%v31 : tensor<2x64x64xf16>) permutation = [1, 0, 2]
          %v33 = ktdp.construct_memory_view %arg2, sizes: [4, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<4x512x64xf16>
          %v34 = arith.muli %part0_c1, %c2 : index
          %v35 = arith.muli %id, %c5 : index
          %v36 = arith.muli %part0_c0, %c6 : index
          %v37 = arith.addi %v35, %v36 : index
          %v38 = ktdp.construct_access_tile %v33[%v34, %v37, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<4x512x64xf16> -> !ktdp.access_tile<2x64x64xindex>
          ktdp.store %v32, %v38 : tensor<2x64x64xf16>, !ktdp.access_tile<2x64x64xindex>
        }
      }
    }
    return
  }
}
