module {
  func.func @kernel0(%arg0: index, %pool1: index, %arg2: index, %arg3: index, %arg4: index, %arg5: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 128 : index
    %c4 = arith.constant 0.000000000e+00 : f32
    %c5 = arith.constant 4 : index
    %c6 = arith.constant 32 : index
    %c7 = arith.constant 0xFF800000 : f32
    %c8 = arith.constant 0.000000000e+00 : f16
    %c9 = arith.constant 262144 : index
    %id = ktdp.get_compute_tile_id : index
    // 0: ReStickifyOpHBM -> k@d1
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        %v1 = ktdp.construct_memory_view %arg0, sizes: [512, 1, 4, 64], strides: [256, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<512x1x4x64xf16>
        %v2 = arith.muli %id, %c3 : index
        %v3 = arith.muli %part0_c0, %c2 : index
        %v4 = ktdp.construct_access_tile %v1[%v2, %c0, %v3, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<512x1x4x64xf16> -> !ktdp.access_tile<128x1x2x64xindex>
        %v5 = ktdp.load %v4 : !ktdp.access_tile<128x1x2x64xindex> -> tensor<128x1x2x64xf16>
        %v6 = tensor.empty() : tensor<2x128x1x64xf16>
        %v7 = linalg.transpose ins(%v5 : tensor<128x1x2x64xf16>) outs(%v6 : tensor<2x128x1x64xf16>) permutation = [2, 0, 1, 3]
        %v8 = tensor.collapse_shape %v7 [[0], [1], [2, 3]] : tensor<2x128x1x64xf16> into tensor<2x128x64xf16>
        %v9 = tensor.expand_shape %v8 [[0], [1, 2], [3]] output_shape [2, 2, 64, 64] : tensor<2x128x64xf16> into tensor<2x2x64x64xf16>
        %v10 = tensor.empty() : tensor<64x2x2x64xf16>
        %v11 = linalg.transpose ins(%v9 : tensor<2x2x64x64xf16>) outs(%v10 : tensor<64x2x2x64xf16>) permutation = [3, 1, 0, 2]
        %v12 = ktdp.construct_memory_view %pool1, sizes: [64, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x8x4x64xf16>
        %v13 = arith.muli %id, %c2 : index
        %v14 = arith.muli %part0_c0, %c2 : index
        %v15 = ktdp.construct_access_tile %v12[%c0, %v13, %v14, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<64x8x4x64xf16> -> !ktdp.access_tile<64x2x2x64xindex>
        ktdp.store %v11, %v15 : tensor<64x2x2x64xf16>, !ktdp.access_tile<64x2x2x64xindex>
      }
    }
    // 1: batchmatmul -> matmul
    %v16 = tensor.splat %c4 : tensor<1xf32>
    %v17 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v16 : tensor<1xf32>
    }
    %v18 = tensor.splat %c4 : tensor<1xf32>
    %v19 = ktdp.inter_tile_reduce(%v17) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v18 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v20 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v20 : tensor<1xf32>
    }
    scf.for %once1 = %c0 to %c1 step %c1 {
      scf.for %part1_c0 = %c0 to %c5 step %c1 {
        scf.for %part1_c2 = %c0 to %c5 step %c1 {
          %v21 = ktdp.construct_memory_view %arg2, sizes: [512, 1, 4, 64], strides: [256, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<512x1x4x64xf16>
          %v22 = arith.muli %id, %c3 : index
          %v23 = arith.muli %part1_c0, %c1 : index
          %v24 = ktdp.construct_access_tile %v21[%v22, %c0, %v23, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<512x1x4x64xf16> -> !ktdp.access_tile<128x1x1x64xindex>
          %v25 = ktdp.load %v24 : !ktdp.access_tile<128x1x1x64xindex> -> tensor<128x1x1x64xf16>
          %v26 = tensor.empty() : tensor<1x128x1x64xf16>
          %v27 = linalg.transpose ins(%v25 : tensor<128x1x1x64xf16>) outs(%v26 : tensor<1x128x1x64xf16>) permutation = [2, 0, 1, 3]
          %v28 = tensor.collapse_shape %v27 [[0], [1], [2, 3]] : tensor<1x128x1x64xf16> into tensor<1x128x64xf16>
          %v29 = ktdp.construct_memory_view %pool1, sizes: [64, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x8x4x64xf16>
          %v30 = arith.muli %part1_c2, %c2 : index
          %v31 = arith.muli %part1_c0, %c1 : index
          %v32 = ktdp.construct_access_tile %v29[%c0, %v30, %v31, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<64x8x4x64xf16> -> !ktdp.access_tile<64x2x1x64xindex>
          %v33 = ktdp.load %v32 : !ktdp.access_tile<64x2x1x64xindex> -> tensor<64x2x1x64xf16>
          %v34 = tensor.empty() : tensor<1x2x64x64xf16>
          %v35 = linalg.transpose ins(%v33 : tensor<64x2x1x64xf16>) outs(%v34 : tensor<1x2x64x64xf16>) permutation = [2, 1, 3, 0]
          %v36 = tensor.collapse_shape %v35 [[0], [1, 2], [3]] : tensor<1x2x64x64xf16> into tensor<1x128x64xf16>
          %v37 = arith.extf %v28 : tensor<1x128x64xf16> to tensor<1x128x64xf32>
          %v38 = arith.extf %v36 : tensor<1x128x64xf16> to tensor<1x128x64xf32>
          %v39 = tensor.empty() : tensor<1x64x128xf32>
          %v40 = linalg.transpose ins(%v38 : tensor<1x128x64xf32>) outs(%v39 : tensor<1x64x128xf32>) permutation = [0, 2, 1]
          %v41 = tensor.splat %c4 : tensor<1x128x128xf32>
          %v42 = linalg.batch_matmul ins(%v37, %v40 : tensor<1x128x64xf32>, tensor<1x64x128xf32>) outs(%v41 : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          %v43 = arith.truncf %v42 : tensor<1x128x128xf32> to tensor<1x128x128xf16>
          %v44 = tensor.expand_shape %v43 [[0], [1], [2, 3]] output_shape [1, 128, 2, 64] : tensor<1x128x128xf16> into tensor<1x128x2x64xf16>
          %v45 = tensor.empty() : tensor<128x2x1x64xf16>
          %v46 = linalg.transpose ins(%v44 : tensor<1x128x2x64xf16>) outs(%v45 : tensor<128x2x1x64xf16>) permutation = [1, 2, 0, 3]
          %v47 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v48 = arith.muli %part1_c2, %c2 : index
          %v49 = arith.muli %part1_c0, %c1 : index
          %v50 = ktdp.construct_access_tile %v47[%c0, %v48, %v49, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<128x2x1x64xindex>
          ktdp.store %v46, %v50 : tensor<128x2x1x64xf16>, !ktdp.access_tile<128x2x1x64xindex>
        }
      }
    }
    // 2: mul -> mul
    scf.for %once2 = %c0 to %c1 step %c1 {
      scf.for %part2_c0 = %c0 to %c5 step %c1 {
        scf.for %part2_c1 = %c0 to %c5 step %c1 {
          %v51 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v52 = arith.muli %part2_c1, %c6 : index
          %v53 = arith.muli %part2_c0, %c1 : index
          %v54 = ktdp.construct_access_tile %v51[%v52, %c0, %v53, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v55 = ktdp.load %v54 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v56 = tensor.empty() : tensor<1x32x8x64xf16>
          %v57 = linalg.transpose ins(%v55 : tensor<32x8x1x64xf16>) outs(%v56 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v58 = tensor.collapse_shape %v57 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v59 = ktdp.construct_memory_view %arg3, sizes: [64], strides: [1] {coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
          %v60 = ktdp.construct_access_tile %v59[%c0] {access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
          %v61 = ktdp.load %v60 : !ktdp.access_tile<64xindex> -> tensor<64xf16>
          %v62 = tensor.extract_slice %v61[0] [1] [1] : tensor<64xf16> to tensor<1xf16>
          %v63 = tensor.extract %v62[%c0] : tensor<1xf16>
          %v64 = tensor.splat %v63 : tensor<1x32x512xf16>
          %v65 = arith.mulf %v58, %v64 : tensor<1x32x512xf16>
          %v66 = tensor.expand_shape %v65 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v67 = tensor.empty() : tensor<32x8x1x64xf16>
          %v68 = linalg.transpose ins(%v66 : tensor<1x32x8x64xf16>) outs(%v67 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v69 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v70 = arith.muli %part2_c1, %c6 : index
          %v71 = arith.muli %part2_c0, %c1 : index
          %v72 = ktdp.construct_access_tile %v69[%v70, %c0, %v71, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v68, %v72 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 3: max -> softmax/max
    scf.for %once3 = %c0 to %c1 step %c1 {
      scf.for %part3_c0 = %c0 to %c5 step %c1 {
        scf.for %part3_c1 = %c0 to %c5 step %c1 {
          %v73 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v74 = arith.muli %part3_c1, %c6 : index
          %v75 = arith.muli %part3_c0, %c1 : index
          %v76 = ktdp.construct_access_tile %v73[%v74, %c0, %v75, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v77 = ktdp.load %v76 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v78 = tensor.empty() : tensor<1x32x8x64xf16>
          %v79 = linalg.transpose ins(%v77 : tensor<32x8x1x64xf16>) outs(%v78 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v80 = tensor.collapse_shape %v79 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v81 = arith.extf %v80 : tensor<1x32x512xf16> to tensor<1x32x512xf32>
          %v82 = tensor.splat %c7 : tensor<1x32xf32>
          %v83 = linalg.reduce ins(%v81 : tensor<1x32x512xf32>) outs(%v82 : tensor<1x32xf32>) dimensions = [2]
          (%in: f32, %out: f32) {
            %v84 = arith.maximumf %in, %out : f32
            linalg.yield %v84 : f32
          }
          %v85 = arith.truncf %v83 : tensor<1x32xf32> to tensor<1x32xf16>
          %v86 = tensor.expand_shape %v85 [[0, 1], [2]] output_shape [1, 1, 32] : tensor<1x32xf16> into tensor<1x1x32xf16>
          %v87 = tensor.empty() : tensor<32x1x1xf16>
          %v88 = linalg.transpose ins(%v86 : tensor<1x1x32xf16>) outs(%v87 : tensor<32x1x1xf16>) permutation = [2, 1, 0]
          %v89 = tensor.splat %c8 : tensor<32x1x64xf16>
          %v90 = tensor.insert_slice %v88 into %v89[0, 0, 0] [32, 1, 1] [1, 1, 1] : tensor<32x1x1xf16> into tensor<32x1x64xf16>
          %v91 = ktdp.construct_memory_view %c9, sizes: [128, 4, 64], strides: [256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x4x64xf16>
          %v92 = arith.muli %part3_c1, %c6 : index
          %v93 = arith.muli %part3_c0, %c1 : index
          %v94 = ktdp.construct_access_tile %v91[%v92, %v93, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<128x4x64xf16> -> !ktdp.access_tile<32x1x64xindex>
          ktdp.store %v90, %v94 : tensor<32x1x64xf16>, !ktdp.access_tile<32x1x64xindex>
        }
      }
    }
    // 4: sub -> softmax/sub
    scf.for %once4 = %c0 to %c1 step %c1 {
      scf.for %part4_c0 = %c0 to %c5 step %c1 {
        scf.for %part4_c1 = %c0 to %c5 step %c1 {
          %v95 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v96 = arith.muli %part4_c1, %c6 : index
          %v97 = arith.muli %part4_c0, %c1 : index
          %v98 = ktdp.construct_access_tile %v95[%v96, %c0, %v97, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v99 = ktdp.load %v98 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v100 = tensor.empty() : tensor<1x32x8x64xf16>
          %v101 = linalg.transpose ins(%v99 : tensor<32x8x1x64xf16>) outs(%v100 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v102 = tensor.collapse_shape %v101 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v103 = ktdp.construct_memory_view %c9, sizes: [128, 4, 64], strides: [256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x4x64xf16>
          %v104 = arith.muli %part4_c1, %c6 : index
          %v105 = arith.muli %part4_c0, %c1 : index
          %v106 = ktdp.construct_access_tile %v103[%v104, %v105, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<128x4x64xf16> -> !ktdp.access_tile<32x1x64xindex>
          %v107 = ktdp.load %v106 : !ktdp.access_tile<32x1x64xindex> -> tensor<32x1x64xf16>
          %v108 = tensor.extract_slice %v107[0, 0, 0] [32, 1, 1] [1, 1, 1] : tensor<32x1x64xf16> to tensor<32x1x1xf16>
          %v109 = tensor.empty() : tensor<1x1x32xf16>
          %v110 = linalg.transpose ins(%v108 : tensor<32x1x1xf16>) outs(%v109 : tensor<1x1x32xf16>) permutation = [2, 1, 0]
          %v111 = tensor.collapse_shape %v110 [[0, 1], [2]] : tensor<1x1x32xf16> into tensor<1x32xf16>
          %v112 = tensor.empty() : tensor<1x32x512xf16>
          %v113 = linalg.broadcast ins(%v111 : tensor<1x32xf16>) outs(%v112 : tensor<1x32x512xf16>) dimensions = [2]
          %v114 = arith.subf %v102, %v113 : tensor<1x32x512xf16>
          %v115 = tensor.expand_shape %v114 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v116 = tensor.empty() : tensor<32x8x1x64xf16>
          %v117 = linalg.transpose ins(%v115 : tensor<1x32x8x64xf16>) outs(%v116 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v118 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v119 = arith.muli %part4_c1, %c6 : index
          %v120 = arith.muli %part4_c0, %c1 : index
          %v121 = ktdp.construct_access_tile %v118[%v119, %c0, %v120, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v117, %v121 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 5: exp -> softmax/exp
    scf.for %once5 = %c0 to %c1 step %c1 {
      scf.for %part5_c0 = %c0 to %c5 step %c1 {
        scf.for %part5_c1 = %c0 to %c5 step %c1 {
          %v122 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v123 = arith.muli %part5_c1, %c6 : index
          %v124 = arith.muli %part5_c0, %c1 : index
          %v125 = ktdp.construct_access_tile %v122[%v123, %c0, %v124, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v126 = ktdp.load %v125 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v127 = tensor.empty() : tensor<1x32x8x64xf16>
          %v128 = linalg.transpose ins(%v126 : tensor<32x8x1x64xf16>) outs(%v127 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v129 = tensor.collapse_shape %v128 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v130 = arith.extf %v129 : tensor<1x32x512xf16> to tensor<1x32x512xf32>
          %v131 = math.exp %v130 : tensor<1x32x512xf32>
          %v132 = arith.truncf %v131 : tensor<1x32x512xf32> to tensor<1x32x512xf16>
          %v133 = tensor.expand_shape %v132 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v134 = tensor.empty() : tensor<32x8x1x64xf16>
          %v135 = linalg.transpose ins(%v133 : tensor<1x32x8x64xf16>) outs(%v134 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v136 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v137 = arith.muli %part5_c1, %c6 : index
          %v138 = arith.muli %part5_c0, %c1 : index
          %v139 = ktdp.construct_access_tile %v136[%v137, %c0, %v138, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v135, %v139 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 6: sum -> softmax/sum
    scf.for %once6 = %c0 to %c1 step %c1 {
      scf.for %part6_c0 = %c0 to %c5 step %c1 {
        scf.for %part6_c1 = %c0 to %c5 step %c1 {
          %v140 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v141 = arith.muli %part6_c1, %c6 : index
          %v142 = arith.muli %part6_c0, %c1 : index
          %v143 = ktdp.construct_access_tile %v140[%v141, %c0, %v142, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v144 = ktdp.load %v143 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v145 = tensor.empty() : tensor<1x32x8x64xf16>
          %v146 = linalg.transpose ins(%v144 : tensor<32x8x1x64xf16>) outs(%v145 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v147 = tensor.collapse_shape %v146 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v148 = arith.extf %v147 : tensor<1x32x512xf16> to tensor<1x32x512xf32>
          %v149 = tensor.splat %c4 : tensor<1x32xf32>
          %v150 = linalg.reduce ins(%v148 : tensor<1x32x512xf32>) outs(%v149 : tensor<1x32xf32>) dimensions = [2]
          (%in: f32, %out: f32) {
            %v151 = arith.addf %in, %out : f32
            linalg.yield %v151 : f32
          }
          %v152 = arith.truncf %v150 : tensor<1x32xf32> to tensor<1x32xf16>
          %v153 = tensor.expand_shape %v152 [[0, 1], [2]] output_shape [1, 1, 32] : tensor<1x32xf16> into tensor<1x1x32xf16>
          %v154 = tensor.empty() : tensor<32x1x1xf16>
          %v155 = linalg.transpose ins(%v153 : tensor<1x1x32xf16>) outs(%v154 : tensor<32x1x1xf16>) permutation = [2, 1, 0]
          %v156 = tensor.splat %c8 : tensor<32x1x64xf16>
          %v157 = tensor.insert_slice %v155 into %v156[0, 0, 0] [32, 1, 1] [1, 1, 1] : tensor<32x1x1xf16> into tensor<32x1x64xf16>
          %v158 = ktdp.construct_memory_view %c9, sizes: [128, 4, 64], strides: [256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x4x64xf16>
          %v159 = arith.muli %part6_c1, %c6 : index
          %v160 = arith.muli %part6_c0, %c1 : index
          %v161 = ktdp.construct_access_tile %v158[%v159, %v160, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<128x4x64xf16> -> !ktdp.access_tile<32x1x64xindex>
          ktdp.store %v157, %v161 : tensor<32x1x64xf16>, !ktdp.access_tile<32x1x64xindex>
        }
      }
    }
    // 7: realdiv -> softmax/div
    scf.for %once7 = %c0 to %c1 step %c1 {
      scf.for %part7_c0 = %c0 to %c5 step %c1 {
        scf.for %part7_c1 = %c0 to %c5 step %c1 {
          %v162 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v163 = arith.muli %part7_c1, %c6 : index
          %v164 = arith.muli %part7_c0, %c1 : index
          %v165 = ktdp.construct_access_tile %v162[%v163, %c0, %v164, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          %v166 = ktdp.load %v165 : !ktdp.access_tile<32x8x1x64xindex> -> tensor<32x8x1x64xf16>
          %v167 = tensor.empty() : tensor<1x32x8x64xf16>
          %v168 = linalg.transpose ins(%v166 : tensor<32x8x1x64xf16>) outs(%v167 : tensor<1x32x8x64xf16>) permutation = [2, 0, 1, 3]
          %v169 = tensor.collapse_shape %v168 [[0], [1], [2, 3]] : tensor<1x32x8x64xf16> into tensor<1x32x512xf16>
          %v170 = ktdp.construct_memory_view %c9, sizes: [128, 4, 64], strides: [256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x4x64xf16>
          %v171 = arith.muli %part7_c1, %c6 : index
          %v172 = arith.muli %part7_c0, %c1 : index
          %v173 = ktdp.construct_access_tile %v170[%v171, %v172, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<128x4x64xf16> -> !ktdp.access_tile<32x1x64xindex>
          %v174 = ktdp.load %v173 : !ktdp.access_tile<32x1x64xindex> -> tensor<32x1x64xf16>
          %v175 = tensor.extract_slice %v174[0, 0, 0] [32, 1, 1] [1, 1, 1] : tensor<32x1x64xf16> to tensor<32x1x1xf16>
          %v176 = tensor.empty() : tensor<1x1x32xf16>
          %v177 = linalg.transpose ins(%v175 : tensor<32x1x1xf16>) outs(%v176 : tensor<1x1x32xf16>) permutation = [2, 1, 0]
          %v178 = tensor.collapse_shape %v177 [[0, 1], [2]] : tensor<1x1x32xf16> into tensor<1x32xf16>
          %v179 = tensor.empty() : tensor<1x32x512xf16>
          %v180 = linalg.broadcast ins(%v178 : tensor<1x32xf16>) outs(%v179 : tensor<1x32x512xf16>) dimensions = [2]
          %v181 = arith.divf %v169, %v180 : tensor<1x32x512xf16>
          %v182 = tensor.expand_shape %v181 [[0], [1], [2, 3]] output_shape [1, 32, 8, 64] : tensor<1x32x512xf16> into tensor<1x32x8x64xf16>
          %v183 = tensor.empty() : tensor<32x8x1x64xf16>
          %v184 = linalg.transpose ins(%v182 : tensor<1x32x8x64xf16>) outs(%v183 : tensor<32x8x1x64xf16>) permutation = [1, 2, 0, 3]
          %v185 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v186 = arith.muli %part7_c1, %c6 : index
          %v187 = arith.muli %part7_c0, %c1 : index
          %v188 = ktdp.construct_access_tile %v185[%v186, %c0, %v187, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<32x8x1x64xindex>
          ktdp.store %v184, %v188 : tensor<32x8x1x64xf16>, !ktdp.access_tile<32x8x1x64xindex>
        }
      }
    }
    // 8: batchmatmul -> matmul.2
    scf.for %once8 = %c0 to %c1 step %c1 {
      scf.for %part8_c0 = %c0 to %c5 step %c1 {
        %v189 = tensor.splat %c4 : tensor<1x128x64xf32>
        %v190 = scf.for %part8_c3 = %c0 to %c5 step %c1 iter_args(%v191 = %v189) -> (tensor<1x128x64xf32>) {
          %v192 = ktdp.construct_memory_view %c0, sizes: [128, 8, 4, 64], strides: [2048, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x8x4x64xf16>
          %v193 = arith.muli %part8_c3, %c2 : index
          %v194 = arith.muli %part8_c0, %c1 : index
          %v195 = ktdp.construct_access_tile %v192[%c0, %v193, %v194, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<128x8x4x64xf16> -> !ktdp.access_tile<128x2x1x64xindex>
          %v196 = ktdp.load %v195 : !ktdp.access_tile<128x2x1x64xindex> -> tensor<128x2x1x64xf16>
          %v197 = tensor.empty() : tensor<1x128x2x64xf16>
          %v198 = linalg.transpose ins(%v196 : tensor<128x2x1x64xf16>) outs(%v197 : tensor<1x128x2x64xf16>) permutation = [2, 0, 1, 3]
          %v199 = tensor.collapse_shape %v198 [[0], [1], [2, 3]] : tensor<1x128x2x64xf16> into tensor<1x128x128xf16>
          %v200 = ktdp.construct_memory_view %arg4, sizes: [512, 1, 4, 64], strides: [256, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<512x1x4x64xf16>
          %v201 = arith.muli %part8_c3, %c3 : index
          %v202 = arith.muli %part8_c0, %c1 : index
          %v203 = ktdp.construct_access_tile %v200[%v201, %c0, %v202, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<512x1x4x64xf16> -> !ktdp.access_tile<128x1x1x64xindex>
          %v204 = ktdp.load %v203 : !ktdp.access_tile<128x1x1x64xindex> -> tensor<128x1x1x64xf16>
          %v205 = tensor.empty() : tensor<1x1x64x128xf16>
          %v206 = linalg.transpose ins(%v204 : tensor<128x1x1x64xf16>) outs(%v205 : tensor<1x1x64x128xf16>) permutation = [2, 1, 3, 0]
          %v207 = tensor.collapse_shape %v206 [[0], [1, 2], [3]] : tensor<1x1x64x128xf16> into tensor<1x64x128xf16>
          %v208 = arith.extf %v199 : tensor<1x128x128xf16> to tensor<1x128x128xf32>
          %v209 = arith.extf %v207 : tensor<1x64x128xf16> to tensor<1x64x128xf32>
          %v210 = tensor.empty() : tensor<1x128x64xf32>
          %v211 = linalg.transpose ins(%v209 : tensor<1x64x128xf32>) outs(%v210 : tensor<1x128x64xf32>) permutation = [0, 2, 1]
          %v212 = tensor.splat %c4 : tensor<1x128x64xf32>
          %v213 = linalg.batch_matmul ins(%v208, %v211 : tensor<1x128x128xf32>, tensor<1x128x64xf32>) outs(%v212 : tensor<1x128x64xf32>) -> tensor<1x128x64xf32>
          %v214 = arith.addf %v191, %v213 : tensor<1x128x64xf32>
          scf.yield %v214 : tensor<1x128x64xf32>
        }
        %v215 = arith.truncf %v190 : tensor<1x128x64xf32> to tensor<1x128x64xf16>
        %v216 = tensor.expand_shape %v215 [[0], [1], [2, 3]] output_shape [1, 128, 1, 64] : tensor<1x128x64xf16> into tensor<1x128x1x64xf16>
        %v217 = tensor.empty() : tensor<128x1x1x64xf16>
        %v218 = linalg.transpose ins(%v216 : tensor<1x128x1x64xf16>) outs(%v217 : tensor<128x1x1x64xf16>) permutation = [1, 2, 0, 3]
        %v219 = ktdp.construct_memory_view %arg5, sizes: [512, 1, 4, 64], strides: [256, 256, 64, 1] {coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<512x1x4x64xf16>
        %v220 = arith.muli %id, %c3 : index
        %v221 = arith.muli %part8_c0, %c1 : index
        %v222 = ktdp.construct_access_tile %v219[%v220, %c0, %v221, %c0] {access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>} : memref<512x1x4x64xf16> -> !ktdp.access_tile<128x1x1x64xindex>
        ktdp.store %v218, %v222 : tensor<128x1x1x64xf16>, !ktdp.access_tile<128x1x1x64xindex>
      }
    }
    return
  }
}
