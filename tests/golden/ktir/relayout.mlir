module {
  func.func @kernel0(%arg0: index, %arg1: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 8 : index
    %c4 = arith.constant 32 : index
    %c5 = arith.constant 0.000000000e+00 : f32
    %c6 = arith.constant 64 : index
    %c7 = arith.constant 262144 : index
    %c8 = arith.constant 0.000000000e+00 : f16
    %id = ktdp.get_compute_tile_id : index
    // 0: identity -> x@in
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        scf.for %part0_c1 = %c0 to %c3 step %c1 {
          %v1 = ktdp.construct_memory_view %arg0, sizes: [256, 8, 8, 64], strides: [4096, 512, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<256x8x8x64xf16>
          %v2 = arith.muli %part0_c1, %c4 : index
          %v3 = arith.muli %id, %c2 : index
          %v4 = arith.muli %part0_c0, %c1 : index
          %v5 = arith.addi %v3, %v4 : index
          %v6 = ktdp.construct_access_tile %v1[%v2, %c0, %v5, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x8x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v7 = ktdp.load %v6 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v8 = tensor.empty() : tensor<1x32x8x64xf16>
          %v9 = linalg.transpose ins(%v7 : tensor<32x8x1x64xf16>) outs(%v8 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v10 = tensor.collapse_shape %v9 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v11 = tensor.expand_shape %v10 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v12 = tensor.empty() : tensor<32x8x1x64xf16>
          %v13 = linalg.transpose ins(%v11 : tensor<1x32x8x64xf16>) outs(%v12 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v14 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<256x8x2x64xf16>
          %v15 = arith.muli %part0_c1, %c4 : index
          %v16 = arith.muli %part0_c0, %c1 : index
          %v17 = ktdp.construct_access_tile %v14[%v15, %c0, %v16, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x2x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v13, %v17 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 1: neg -> neg
    scf.for %once1 = %c0 to %c1 step %c1 {
      scf.for %part1_c0 = %c0 to %c2 step %c1 {
        scf.for %part1_c1 = %c0 to %c3 step %c1 {
          %v18 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<256x8x2x64xf16>
          %v19 = arith.muli %part1_c1, %c4 : index
          %v20 = arith.muli %part1_c0, %c1 : index
          %v21 = ktdp.construct_access_tile %v18[%v19, %c0, %v20, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x2x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v22 = ktdp.load %v21 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v23 = tensor.empty() : tensor<1x32x8x64xf16>
          %v24 = linalg.transpose ins(%v22 : tensor<32x8x1x64xf16>) outs(%v23 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v25 = tensor.collapse_shape %v24 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v26 = arith.negf %v25 : tensor<1x32x512xf16>
          %v27 = tensor.expand_shape %v26 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v28 = tensor.empty() : tensor<32x8x1x64xf16>
          %v29 = linalg.transpose ins(%v27 : tensor<1x32x8x64xf16>) outs(%v28 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v30 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<256x8x2x64xf16>
          %v31 = arith.muli %part1_c1, %c4 : index
          %v32 = arith.muli %part1_c0, %c1 : index
          %v33 = ktdp.construct_access_tile %v30[%v31, %c0, %v32, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x2x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v29, %v33 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 2: shuffle -> neg@ring
    %v34 = tensor.splat %c5 : tensor<1xf32>
    %v35 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v34 : tensor<1xf32>
    }
    %v36 = tensor.splat %c5 : tensor<1xf32>
    %v37 = ktdp.inter_tile_reduce(%v35) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v36 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v38 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v38 : tensor<1xf32>
    }
    scf.for %once2 = %c0 to %c1 step %c1 {
      scf.for %part2_c0 = %c0 to %c3 step %c1 {
        scf.for %part2_c1 = %c0 to %c2 step %c1 {
          %v39 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>} : memref<256x8x2x64xf16>
          %v40 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 - 2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : memref<256x8x2x64xf16>
          %v41 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 - 4 >= 0, -d2 + 5 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = 2>} : memref<256x8x2x64xf16>
          %v42 = ktdp.construct_memory_view %c0, sizes: [256, 8, 2, 64], strides: [1024, 128, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 - 6 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<256x8x2x64xf16>
          %v43 = ktdp.construct_distributed_memory_view (%v39, %v40, %v41, %v42 : memref<256x8x2x64xf16>, memref<256x8x2x64xf16>, memref<256x8x2x64xf16>, memref<256x8x2x64xf16>) : memref<256x8x8x64xf16>
          %v44 = arith.muli %id, %c6 : index
          %v45 = arith.muli %part2_c1, %c4 : index
          %v46 = arith.addi %v44, %v45 : index
          %v47 = arith.muli %part2_c0, %c1 : index
          %v48 = ktdp.construct_access_tile %v43[%v46, %c0, %v47, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x8x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v49 = ktdp.load %v48 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v50 = tensor.empty() : tensor<1x32x8x64xf16>
          %v51 = linalg.transpose ins(%v49 : tensor<32x8x1x64xf16>) outs(%v50 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v52 = tensor.collapse_shape %v51 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v53 = tensor.expand_shape %v52 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v54 = tensor.empty() : tensor<32x8x1x64xf16>
          %v55 = linalg.transpose ins(%v53 : tensor<1x32x8x64xf16>) outs(%v54 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v56 = ktdp.construct_memory_view %c7, sizes: [64, 8, 8, 64], strides: [4096, 512, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<64x8x8x64xf16>
          %v57 = arith.muli %part2_c1, %c4 : index
          %v58 = arith.muli %part2_c0, %c1 : index
          %v59 = ktdp.construct_access_tile %v56[%v57, %c0, %v58, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<64x8x8x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v55, %v59 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    %v60 = tensor.splat %c5 : tensor<1xf32>
    %v61 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v60 : tensor<1xf32>
    }
    %v62 = tensor.splat %c5 : tensor<1xf32>
    %v63 = ktdp.inter_tile_reduce(%v61) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v62 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v64 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v64 : tensor<1xf32>
    }
    // 3: relufwd -> relu
    scf.for %once3 = %c0 to %c1 step %c1 {
      scf.for %part3_c0 = %c0 to %c3 step %c1 {
        scf.for %part3_c1 = %c0 to %c2 step %c1 {
          %v65 = ktdp.construct_memory_view %c7, sizes: [64, 8, 8, 64], strides: [4096, 512, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<64x8x8x64xf16>
          %v66 = arith.muli %part3_c1, %c4 : index
          %v67 = arith.muli %part3_c0, %c1 : index
          %v68 = ktdp.construct_access_tile %v65[%v66, %c0, %v67, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<64x8x8x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v69 = ktdp.load %v68 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v70 = tensor.empty() : tensor<1x32x8x64xf16>
          %v71 = linalg.transpose ins(%v69 : tensor<32x8x1x64xf16>) outs(%v70 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v72 = tensor.collapse_shape %v71 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v73 = tensor.splat %c8 : tensor<1x32x512xf16>
          %v74 = arith.maximumf %v72, %v73 : tensor<1x32x512xf16>
          %v75 = tensor.expand_shape %v74 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v76 = tensor.empty() : tensor<32x8x1x64xf16>
          %v77 = linalg.transpose ins(%v75 : tensor<1x32x8x64xf16>) outs(%v76 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v78 = ktdp.construct_memory_view %arg1, sizes: [256, 8, 8, 64], strides: [4096, 512, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 255 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<256x8x8x64xf16>
          %v79 = arith.muli %id, %c6 : index
          %v80 = arith.muli %part3_c1, %c4 : index
          %v81 = arith.addi %v79, %v80 : index
          %v82 = arith.muli %part3_c0, %c1 : index
          %v83 = ktdp.construct_access_tile %v78[%v81, %c0, %v82, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<256x8x8x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v77, %v83 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    return
  }
}
