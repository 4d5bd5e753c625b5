module {
  func.func @kernel0(%arg0: index, %arg1: index, %pool2: index, %arg3: index, %pool4: index, %arg5: index, %pool6: index, %arg7: index, %arg8: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 8 : index
    %c4 = arith.constant 0.000000000e+00 : f32
    %c5 = arith.constant 64 : index
    %c6 = arith.constant 16 : index
    %c7 = arith.constant 128 : index
    %c8 = arith.constant 32 : index
    %c9 = arith.constant 4 : index
    %c10 = arith.constant 1.000000000e+00 : f32
    %c11 = arith.constant 7.071067812e-01 : f32
    %c12 = arith.constant 5.000000000e-01 : f32
    %id = ktdp.get_compute_tile_id : index
    // 0: batchmatmul -> up.linear/matmul
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        scf.for %part0_c1 = %c0 to %c3 step %c1 {
          %v1 = tensor.splat %c4 : tensor<64x128xf32>
          %v2 = scf.for %part0_c2 = %c0 to %c3 step %c1 iter_args(%v3 = %v1) -> (tensor<64x128xf32>) {
            %v4 = ktdp.construct_memory_view %arg0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x128x64xf16>
            %v5 = arith.muli %part0_c2, %c2 : index
            %v6 = arith.muli %part0_c0, %c5 : index
            %v7 = ktdp.construct_access_tile %v4[%v5, %v6, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<2x64x64xindex>
            %v8 = ktdp.load %v7 : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
            %v9 = tensor.empty() : tensor<64x2x64xf16>
            %v10 = linalg.transpose ins(%v8 : tensor<2x64x64xf16>) outs(%v9 : tensor<64x2x64xf16>) permutation = [1, 0, 2]
            %v11 = tensor.collapse_shape %v10 [[0], [1, 2]] : tensor<64x2x64xf16> into tensor<64x128xf16>
            %v12 = ktdp.construct_memory_view %arg1, sizes: [64, 1024, 64], strides: [65536, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 1023 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x1024x64xf16>
            %v13 = arith.muli %id, %c6 : index
            %v14 = arith.muli %part0_c1, %c2 : index
            %v15 = arith.addi %v13, %v14 : index
            %v16 = arith.muli %part0_c2, %c7 : index
            %v17 = ktdp.construct_access_tile %v12[%v15, %v16, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x1024x64xf16> -> !ktdp.access_tile<2x128x64xindex>
            %v18 = ktdp.load %v17 : !ktdp.access_tile<2x128x64xindex> -> tensor<2x128x64xf16>
            %v19 = tensor.empty() : tensor<2x64x128xf16>
            %v20 = linalg.transpose ins(%v18 : tensor<2x128x64xf16>) outs(%v19 : tensor<2x64x128xf16>) permutation = [0, 2, 1]
            %v21 = tensor.collapse_shape %v20 [[0, 1], [2]] : tensor<2x64x128xf16> into tensor<128x128xf16>
            %v22 = arith.extf %v11 : tensor<64x128xf16> to tensor<64x128xf32>
            %v23 = arith.extf %v21 : tensor<128x128xf16> to tensor<128x128xf32>
            %v24 = tensor.empty() : tensor<128x128xf32>
            %v25 = linalg.transpose ins(%v23 : tensor<128x128xf32>) outs(%v24 : tensor<128x128xf32>) permutation = [1, 0]
            %v26 = tensor.splat %c4 : tensor<64x128xf32>
            %v27 = linalg.matmul ins(%v22, %v25 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%v26 : tensor<64x128xf32>) -> tensor<64x128xf32>
            %v28 = arith.addf %v3, %v27 : tensor<64x128xf32>
            scf.yield %v28 : tensor<64x128xf32>
          }
          %v29 = arith.truncf %v2 : tensor<64x128xf32> to tensor<64x128xf16>
          %v30 = tensor.expand_shape %v29 [[0], [1, 2]] output_shape [64, 2, 64] : tensor<64x128xf16> into tensor<64x2x64xf16>
          %v31 = tensor.empty() : tensor<2x64x64xf16>
          %v32 = linalg.transpose ins(%v30 : tensor<64x2x64xf16>) outs(%v31 : tensor<2x64x64xf16>) permutation = [1, 0, 2]
          %v33 = ktdp.construct_memory_view %pool2, sizes: [64, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x128x64xf16>
          %v34 = arith.muli %id, %c6 : index
          %v35 = arith.muli %part0_c1, %c2 : index
          %v36 = arith.addi %v34, %v35 : index
          %v37 = arith.muli %part0_c0, %c5 : index
          %v38 = ktdp.construct_access_tile %v33[%v36, %v37, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x128x64xf16> -> !ktdp.access_tile<2x64x64xindex>
          ktdp.store %v32, %v38 : tensor<2x64x64xf16>, !ktdp.access_tile<2x64x64xindex>
        }
      }
    }
    // 1: add -> up.linear/add
    %v39 = tensor.splat %c4 : tensor<1xf32>
    %v40 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v39 : tensor<1xf32>
    }
    %v41 = tensor.splat %c4 : tensor<1xf32>
    %v42 = ktdp.inter_tile_reduce(%v40) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v41 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v43 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v43 : tensor<1xf32>
    }
    scf.for %once1 = %c0 to %c1 step %c1 {
      scf.for %part1_c1 = %c0 to %c3 step %c1 {
        %v44 = ktdp.construct_memory_view %pool2, sizes: [64, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x128x64xf16>
        %v45 = arith.muli %part1_c1, %c3 : index
        %v46 = arith.muli %id, %c8 : index
        %v47 = ktdp.construct_access_tile %v44[%v45, %v46, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x128x64xf16> -> !ktdp.access_tile<8x32x64xindex>
        %v48 = ktdp.load %v47 : !ktdp.access_tile<8x32x64xindex> -> tensor<8x32x64xf16>
        %v49 = tensor.empty() : tensor<32x8x64xf16>
        %v50 = linalg.transpose ins(%v48 : tensor<8x32x64xf16>) outs(%v49 : tensor<32x8x64xf16>) permutation = [1, 0, 2]
        %v51 = tensor.collapse_shape %v50 [[0], [1, 2]] : tensor<32x8x64xf16> into tensor<32x512xf16>
        %v52 = ktdp.construct_memory_view %arg3, sizes: [64, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x64xf16>
        %v53 = arith.muli %part1_c1, %c3 : index
        %v54 = ktdp.construct_access_tile %v52[%v53, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<64x64xf16> -> !ktdp.access_tile<8x64xindex>
        %v55 = ktdp.load %v54 : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>
        %v56 = tensor.collapse_shape %v55 [[0, 1]] : tensor<8x64xf16> into tensor<512xf16>
        %v57 = tensor.empty() : tensor<32x512xf16>
        %v58 = linalg.broadcast ins(%v56 : tensor<512xf16>) outs(%v57 : tensor<32x512xf16>) dimensions = [0]
        %v59 = arith.addf %v51, %v58 : tensor<32x512xf16>
        %v60 = tensor.expand_shape %v59 [[0], [1, 2]] output_shape [32, 8, 64] : tensor<32x512xf16> into tensor<32x8x64xf16>
        %v61 = tensor.empty() : tensor<8x32x64xf16>
        %v62 = linalg.transpose ins(%v60 : tensor<32x8x64xf16>) outs(%v61 : tensor<8x32x64xf16>) permutation = [1, 0, 2]
        %v63 = ktdp.construct_memory_view %c0, sizes: [64, 32, 64], strides: [2048, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<64x32x64xf16>
        %v64 = arith.muli %part1_c1, %c3 : index
        %v65 = ktdp.construct_access_tile %v63[%v64, %c0, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x32x64xf16> -> !ktdp.access_tile<8x32x64xindex>
        ktdp.store %v62, %v65 : tensor<8x32x64xf16>, !ktdp.access_tile<8x32x64xindex>
      }
    }
    // 2: gelufwd -> act.gelu
    scf.for %once2 = %c0 to %c1 step %c1 {
      scf.for %part2_c0 = %c0 to %c3 step %c1 {
        %v66 = ktdp.construct_memory_view %c0, sizes: [64, 32, 64], strides: [2048, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<64x32x64xf16>
        %v67 = arith.muli %part2_c0, %c9 : index
        %v68 = ktdp.construct_access_tile %v66[%c0, %v67, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x32x64xf16> -> !ktdp.access_tile<64x4x64xindex>
        %v69 = ktdp.load %v68 : !ktdp.access_tile<64x4x64xindex> -> tensor<64x4x64xf16>
        %v70 = tensor.empty() : tensor<4x64x64xf16>
        %v71 = linalg.transpose ins(%v69 : tensor<64x4x64xf16>) outs(%v70 : tensor<4x64x64xf16>) permutation = [1, 0, 2]
        %v72 = tensor.collapse_shape %v71 [[0], [1, 2]] : tensor<4x64x64xf16> into tensor<4x4096xf16>
        %v73 = arith.extf %v72 : tensor<4x4096xf16> to tensor<4x4096xf32>
        %v74 = tensor.splat %c10 : tensor<4x4096xf32>
        %v75 = tensor.splat %c11 : tensor<4x4096xf32>
        %v76 = arith.mulf %v73, %v75 : tensor<4x4096xf32>
        %v77 = math.erf %v76 : tensor<4x4096xf32>
        %v78 = arith.addf %v74, %v77 : tensor<4x4096xf32>
        %v79 = tensor.splat %c12 : tensor<4x4096xf32>
        %v80 = arith.mulf %v73, %v79 : tensor<4x4096xf32>
        %v81 = arith.mulf %v80, %v78 : tensor<4x4096xf32>
        %v82 = arith.truncf %v81 : tensor<4x4096xf32> to tensor<4x4096xf16>
        %v83 = tensor.expand_shape %v82 [[0], [1, 2]] output_shape [4, 64, 64] : tensor<4x4096xf16> into tensor<4x64x64xf16>
        %v84 = tensor.empty() : tensor<64x4x64xf16>
        %v85 = linalg.transpose ins(%v83 : tensor<4x64x64xf16>) outs(%v84 : tensor<64x4x64xf16>) permutation = [1, 0, 2]
        %v86 = ktdp.construct_memory_view %pool4, sizes: [64, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x128x64xf16>
        %v87 = arith.muli %id, %c8 : index
        %v88 = arith.muli %part2_c0, %c9 : index
        %v89 = arith.addi %v87, %v88 : index
        %v90 = ktdp.construct_access_tile %v86[%c0, %v89, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x128x64xf16> -> !ktdp.access_tile<64x4x64xindex>
        ktdp.store %v85, %v90 : tensor<64x4x64xf16>, !ktdp.access_tile<64x4x64xindex>
      }
    }
    // 3: batchmatmul -> down.linear/matmul
    %v91 = tensor.splat %c4 : tensor<1xf32>
    %v92 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v91 : tensor<1xf32>
    }
    %v93 = tensor.splat %c4 : tensor<1xf32>
    %v94 = ktdp.inter_tile_reduce(%v92) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v93 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v95 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v95 : tensor<1xf32>
    }
    scf.for %once3 = %c0 to %c1 step %c1 {
      %v96 = arith.remui %id, %c2 : index
      %v97 = arith.divui %id, %c2 : index
      scf.for %part3_c1 = %c0 to %c9 step %c1 {
        %v98 = tensor.splat %c4 : tensor<64x128xf32>
        %v99 = scf.for %part3_c2 = %c0 to %c8 step %c1 iter_args(%v100 = %v98) -> (tensor<64x128xf32>) {
          %v101 = ktdp.construct_memory_view %pool4, sizes: [64, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<64x128x64xf16>
          %v102 = arith.muli %part3_c2, %c2 : index
          %v103 = arith.muli %v96, %c5 : index
          %v104 = ktdp.construct_access_tile %v101[%v102, %v103, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<64x128x64xf16> -> !ktdp.access_tile<2x64x64xindex>
          %v105 = ktdp.load %v104 : !ktdp.access_tile<2x64x64xindex> -> tensor<2x64x64xf16>
          %v106 = tensor.empty() : tensor<64x2x64xf16>
          %v107 = linalg.transpose ins(%v105 : tensor<2x64x64xf16>) outs(%v106 : tensor<64x2x64xf16>) permutation = [1, 0, 2]
          %v108 = tensor.collapse_shape %v107 [[0], [1, 2]] : tensor<64x2x64xf16> into tensor<64x128xf16>
          %v109 = ktdp.construct_memory_view %arg5, sizes: [16, 4096, 64], strides: [262144, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 4095 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x4096x64xf16>
          %v110 = arith.muli %v97, %c3 : index
          %v111 = arith.muli %part3_c1, %c2 : index
          %v112 = arith.addi %v110, %v111 : index
          %v113 = arith.muli %part3_c2, %c7 : index
          %v114 = ktdp.construct_access_tile %v109[%v112, %v113, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x4096x64xf16> -> !ktdp.access_tile<2x128x64xindex>
          %v115 = ktdp.load %v114 : !ktdp.access_tile<2x128x64xindex> -> tensor<2x128x64xf16>
          %v116 = tensor.empty() : tensor<2x64x128xf16>
          %v117 = linalg.transpose ins(%v115 : tensor<2x128x64xf16>) outs(%v116 : tensor<2x64x128xf16>) permutation = [0, 2, 1]
          %v118 = tensor.collapse_shape %v117 [[0, 1], [2]] : tensor<2x64x128xf16> into tensor<128x128xf16>
          %v119 = arith.extf %v108 : tensor<64x128xf16> to tensor<64x128xf32>
          %v120 = arith.extf %v118 : tensor<128x128xf16> to tensor<128x128xf32>
          %v121 = tensor.empty() : tensor<128x128xf32>
          %v122 = linalg.transpose ins(%v120 : tensor<128x128xf32>) outs(%v121 : tensor<128x128xf32>) permutation = [1, 0]
          %v123 = tensor.splat %c4 : tensor<64x128xf32>
          %v124 = linalg.matmul ins(%v119, %v122 : tensor<64x128xf32>, tensor<128x128xf32>) outs(%v123 : tensor<64x128xf32>) -> tensor<64x128xf32>
          %v125 = arith.addf %v100, %v124 : tensor<64x128xf32>
          scf.yield %v125 : tensor<64x128xf32>
        }
        %v126 = arith.truncf %v99 : tensor<64x128xf32> to tensor<64x128xf16>
        %v127 = tensor.expand_shape %v126 [[0], [1, 2]] output_shape [64, 2, 64] : tensor<64x128xf16> into tensor<64x2x64xf16>
        %v128 = tensor.empty() : tensor<2x64x64xf16>
        %v129 = linalg.transpose ins(%v127 : tensor<64x2x64xf16>) outs(%v128 : tensor<2x64x64xf16>) permutation = [1, 0, 2]
        %v130 = ktdp.construct_memory_view %pool6, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x128x64xf16>
        %v131 = arith.muli %v97, %c3 : index
        %v132 = arith.muli %part3_c1, %c2 : index
        %v133 = arith.addi %v131, %v132 : index
        %v134 = arith.muli %v96, %c5 : index
        %v135 = ktdp.construct_access_tile %v130[%v133, %v134, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<2x64x64xindex>
        ktdp.store %v129, %v135 : tensor<2x64x64xf16>, !ktdp.access_tile<2x64x64xindex>
      }
    }
    // 4: add -> down.linear/add
    %v136 = tensor.splat %c4 : tensor<1xf32>
    %v137 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)> : tensor<1xf32> -> !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
      ktdp.yield_partial %v136 : tensor<1xf32>
    }
    %v138 = tensor.splat %c4 : tensor<1xf32>
    %v139 = ktdp.inter_tile_reduce(%v137) consumer_tiles_per_group = affine_set<(i)[g] : (i - 4*g >= 0, -i + 4*g + 3 >= 0)>, identity(%v138 : tensor<1xf32>) : !ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1xf32>
    {
      ^bb0(%lhs: tensor<1xf32>, %rhs: tensor<1xf32>):
      %v140 = arith.addf %lhs, %rhs : tensor<1xf32>
      ktdp.yield_reduced %v140 : tensor<1xf32>
    }
    scf.for %once4 = %c0 to %c1 step %c1 {
      scf.for %part4_c1 = %c0 to %c2 step %c1 {
        %v141 = ktdp.construct_memory_view %pool6, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x128x64xf16>
        %v142 = arith.muli %part4_c1, %c3 : index
        %v143 = arith.muli %id, %c8 : index
        %v144 = ktdp.construct_access_tile %v141[%v142, %v143, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<8x32x64xindex>
        %v145 = ktdp.load %v144 : !ktdp.access_tile<8x32x64xindex> -> tensor<8x32x64xf16>
        %v146 = tensor.empty() : tensor<32x8x64xf16>
        %v147 = linalg.transpose ins(%v145 : tensor<8x32x64xf16>) outs(%v146 : tensor<32x8x64xf16>) permutation = [1, 0, 2]
        %v148 = tensor.collapse_shape %v147 [[0], [1, 2]] : tensor<32x8x64xf16> into tensor<32x512xf16>
        %v149 = ktdp.construct_memory_view %arg7, sizes: [16, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
        %v150 = arith.muli %part4_c1, %c3 : index
        %v151 = ktdp.construct_access_tile %v149[%v150, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<16x64xf16> -> !ktdp.access_tile<8x64xindex>
        %v152 = ktdp.load %v151 : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>
        %v153 = tensor.collapse_shape %v152 [[0, 1]] : tensor<8x64xf16> into tensor<512xf16>
        %v154 = tensor.empty() : tensor<32x512xf16>
        %v155 = linalg.broadcast ins(%v153 : tensor<512xf16>) outs(%v154 : tensor<32x512xf16>) dimensions = [0]
        %v156 = arith.addf %v148, %v155 : tensor<32x512xf16>
        %v157 = tensor.expand_shape %v156 [[0], [1, 2]] output_shape [32, 8, 64] : tensor<32x512xf16> into tensor<32x8x64xf16>
        %v158 = tensor.empty() : tensor<8x32x64xf16>
        %v159 = linalg.transpose ins(%v157 : tensor<32x8x64xf16>) outs(%v158 : tensor<8x32x64xf16>) permutation = [1, 0, 2]
        %v160 = ktdp.construct_memory_view %arg8, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x128x64xf16>
        %v161 = arith.muli %part4_c1, %c3 : index
        %v162 = arith.muli %id, %c8 : index
        %v163 = ktdp.construct_access_tile %v160[%v161, %v162, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<8x32x64xindex>
        ktdp.store %v159, %v163 : tensor<8x32x64xf16>, !ktdp.access_tile<8x32x64xindex>
      }
    }
    return
  }
}
