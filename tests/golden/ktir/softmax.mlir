module {
  func.func @kernel0(%arg0: index, %arg1: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 8 : index
    %c3 = arith.constant 128 : index
    %c4 = arith.constant 16 : index
    %c5 = arith.constant 0xFF800000 : f32
    %c6 = arith.constant 0.000000000e+00 : f16
    %c7 = arith.constant 131072 : index
    %c8 = arith.constant 0.000000000e+00 : f32
    %id = ktdp.get_compute_tile_id : index
    // 0: max -> softmax/max
    scf.for %once0 = %c0 to %c1 step %c1 {
      scf.for %part0_c0 = %c0 to %c2 step %c1 {
        %v1 = ktdp.construct_memory_view %arg0, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v2 = arith.muli %id, %c3 : index
        %v3 = arith.muli %part0_c0, %c4 : index
        %v4 = arith.addi %v2, %v3 : index
        %v5 = ktdp.construct_access_tile %v1[%c0, %v4, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        %v6 = ktdp.load %v5 : !ktdp.access_tile<16x16x64xindex> -> tensor<16x16x64xf16>
        %v7 = tensor.empty() : tensor<16x16x64xf16>
        %v8 = linalg.transpose ins(%v6 : tensor<16x16x64xf16>) outs(%v7 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v9 = tensor.collapse_shape %v8 [[0], [1, 2]] : tensor<16x16x64xf16> into tensor<16x1024xf16>
        %v10 = arith.extf %v9 : tensor<16x1024xf16> to tensor<16x1024xf32>
        %v11 = tensor.splat %c5 : tensor<16xf32>
        %v12 = linalg.reduce ins(%v10 : tensor<16x1024xf32>) outs(%v11 : tensor<16xf32>) dimensions = [1]
        (%in: f32, %out: f32) {
          %v13 = arith.maximumf %in, %out : f32
          linalg.yield %v13 : f32
        }
        %v14 = arith.truncf %v12 : tensor<16xf32> to tensor<16xf16>
        %v15 = tensor.expand_shape %v14 [[0, 1]] output_shape [1, 16] : tensor<16xf16> into tensor<1x16xf16>
        %v16 = tensor.empty() : tensor<16x1xf16>
        %v17 = linalg.transpose ins(%v15 : tensor<1x16xf16>) outs(%v16 : tensor<16x1xf16>) permutation = [1, 0]
        %v18 = tensor.splat %c6 : tensor<16x64xf16>
        %v19 = tensor.insert_slice %v17 into %v18[0, 0] [16, 1] [1, 1] : tensor<16x1xf16> into tensor<16x64xf16>
        %v20 = ktdp.construct_memory_view %c7, sizes: [128, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x64xf16>
        %v21 = arith.muli %part0_c0, %c4 : index
        %v22 = ktdp.construct_access_tile %v20[%v21, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
        ktdp.store %v19, %v22 : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
      }
    }
    // 1: sub -> softmax/sub
    scf.for %once1 = %c0 to %c1 step %c1 {
      scf.for %part1_c0 = %c0 to %c2 step %c1 {
        %v23 = ktdp.construct_memory_view %arg0, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v24 = arith.muli %id, %c3 : index
        %v25 = arith.muli %part1_c0, %c4 : index
        %v26 = arith.addi %v24, %v25 : index
        %v27 = ktdp.construct_access_tile %v23[%c0, %v26, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        %v28 = ktdp.load %v27 : !ktdp.access_tile<16x16x64xindex> -> tensor<16x16x64xf16>
        %v29 = tensor.empty() : tensor<16x16x64xf16>
        %v30 = linalg.transpose ins(%v28 : tensor<16x16x64xf16>) outs(%v29 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v31 = tensor.collapse_shape %v30 [[0], [1, 2]] : tensor<16x16x64xf16> into tensor<16x1024xf16>
        %v32 = ktdp.construct_memory_view %c7, sizes: [128, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x64xf16>
        %v33 = arith.muli %part1_c0, %c4 : index
        %v34 = ktdp.construct_access_tile %v32[%v33, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
        %v35 = ktdp.load %v34 : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
        %v36 = tensor.extract_slice %v35[0, 0] [16, 1] [1, 1] : tensor<16x64xf16> to tensor<16x1xf16>
        %v37 = tensor.empty() : tensor<1x16xf16>
        %v38 = linalg.transpose ins(%v36 : tensor<16x1xf16>) outs(%v37 : tensor<1x16xf16>) permutation = [1, 0]
        %v39 = tensor.collapse_shape %v38 [[0, 1]] : tensor<1x16xf16> into tensor<16xf16>
        %v40 = tensor.empty() : tensor<16x1024xf16>
        %v41 = linalg.broadcast ins(%v39 : tensor<16xf16>) outs(%v40 : tensor<16x1024xf16>) dimensions = [1]
        %v42 = arith.subf %v31, %v41 : tensor<16x1024xf16>
        %v43 = tensor.expand_shape %v42 [[0], [1, 2]] output_shape [16, 16, 64] : tensor<16x1024xf16> into tensor<16x16x64xf16>
        %v44 = tensor.empty() : tensor<16x16x64xf16>
        %v45 = linalg.transpose ins(%v43 : tensor<16x16x64xf16>) outs(%v44 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v46 = ktdp.construct_memory_view %c0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128x64xf16>
        %v47 = arith.muli %part1_c0, %c4 : index
        %v48 = ktdp.construct_access_tile %v46[%c0, %v47, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        ktdp.store %v45, %v48 : tensor<16x16x64xf16>, !ktdp.access_tile<16x16x64xindex>
      }
    }
    // 2: exp -> softmax/exp
    scf.for %once2 = %c0 to %c1 step %c1 {
      scf.for %part2_c0 = %c0 to %c2 step %c1 {
        %v49 = ktdp.construct_memory_view %c0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128x64xf16>
        %v50 = arith.muli %part2_c0, %c4 : index
        %v51 = ktdp.construct_access_tile %v49[%c0, %v50, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        %v52 = ktdp.load %v51 : !ktdp.access_tile<16x16x64xindex> -> tensor<16x16x64xf16>
        %v53 = tensor.empty() : tensor<16x16x64xf16>
        %v54 = linalg.transpose ins(%v52 : tensor<16x16x64xf16>) outs(%v53 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v55 = tensor.collapse_shape %v54 [[0], [1, 2]] : tensor<16x16x64xf16> into tensor<16x1024xf16>
        %v56 = arith.extf %v55 : tensor<16x1024xf16> to tensor<16x1024xf32>
        %v57 = math.exp %v56 : tensor<16x1024xf32>
        %v58 = arith.truncf %v57 : tensor<16x1024xf32> to tensor<16x1024xf16>
        %v59 = tensor.expand_shape %v58 [[0], [1, 2]] output_shape [16, 16, 64] : tensor<16x1024xf16> into tensor<16x16x64xf16>
        %v60 = tensor.empty() : tensor<16x16x64xf16>
        %v61 = linalg.transpose ins(%v59 : tensor<16x16x64xf16>) outs(%v60 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v62 = ktdp.construct_memory_view %c0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128x64xf16>
        %v63 = arith.muli %part2_c0, %c4 : index
        %v64 = ktdp.construct_access_tile %v62[%c0, %v63, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        ktdp.store %v61, %v64 : tensor<16x16x64xf16>, !ktdp.access_tile<16x16x64xindex>
      }
    }
    // 3: sum -> softmax/sum
    scf.for %once3 = %c0 to %c1 step %c1 {
      scf.for %part3_c0 = %c0 to %c2 step %c1 {
        %v65 = ktdp.construct_memory_view %c0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128x64xf16>
        %v66 = arith.muli %part3_c0, %c4 : index
        %v67 = ktdp.construct_access_tile %v65[%c0, %v66, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        %v68 = ktdp.load %v67 : !ktdp.access_tile<16x16x64xindex> -> tensor<16x16x64xf16>
        %v69 = tensor.empty() : tensor<16x16x64xf16>
        %v70 = linalg.transpose ins(%v68 : tensor<16x16x64xf16>) outs(%v69 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v71 = tensor.collapse_shape %v70 [[0], [1, 2]] : tensor<16x16x64xf16> into tensor<16x1024xf16>
        %v72 = arith.extf %v71 : tensor<16x1024xf16> to tensor<16x1024xf32>
        %v73 = tensor.splat %c8 : tensor<16xf32>
        %v74 = linalg.reduce ins(%v72 : tensor<16x1024xf32>) outs(%v73 : tensor<16xf32>) dimensions = [1]
        (%in: f32, %out: f32) {
          %v75 = arith.addf %in, %out : f32
          linalg.yield %v75 : f32
        }
        %v76 = arith.truncf %v74 : tensor<16xf32> to tensor<16xf16>
        %v77 = tensor.expand_shape %v76 [[0, 1]] output_shape [1, 16] : tensor<16xf16> into tensor<1x16xf16>
        %v78 = tensor.empty() : tensor<16x1xf16>
        %v79 = linalg.transpose ins(%v77 : tensor<1x16xf16>) outs(%v78 : tensor<16x1xf16>) permutation = [1, 0]
        %v80 = tensor.splat %c6 : tensor<16x64xf16>
        %v81 = tensor.insert_slice %v79 into %v80[0, 0] [16, 1] [1, 1] : tensor<16x1xf16> into tensor<16x64xf16>
        %v82 = ktdp.construct_memory_view %c7, sizes: [128, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x64xf16>
        %v83 = arith.muli %part3_c0, %c4 : index
        %v84 = ktdp.construct_access_tile %v82[%v83, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
        ktdp.store %v81, %v84 : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
      }
    }
    // 4: realdiv -> softmax/div
    scf.for %once4 = %c0 to %c1 step %c1 {
      scf.for %part4_c0 = %c0 to %c2 step %c1 {
        %v85 = ktdp.construct_memory_view %c0, sizes: [16, 128, 64], strides: [8192, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<16x128x64xf16>
        %v86 = arith.muli %part4_c0, %c4 : index
        %v87 = ktdp.construct_access_tile %v85[%c0, %v86, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x128x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        %v88 = ktdp.load %v87 : !ktdp.access_tile<16x16x64xindex> -> tensor<16x16x64xf16>
        %v89 = tensor.empty() : tensor<16x16x64xf16>
        %v90 = linalg.transpose ins(%v88 : tensor<16x16x64xf16>) outs(%v89 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v91 = tensor.collapse_shape %v90 [[0], [1, 2]] : tensor<16x16x64xf16> into tensor<16x1024xf16>
        %v92 = ktdp.construct_memory_view %c7, sizes: [128, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local>} : memref<128x64xf16>
        %v93 = arith.muli %part4_c0, %c4 : index
        %v94 = ktdp.construct_access_tile %v92[%v93, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<128x64xf16> -> !ktdp.access_tile<16x64xindex>
        %v95 = ktdp.load %v94 : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
        %v96 = tensor.extract_slice %v95[0, 0] [16, 1] [1, 1] : tensor<16x64xf16> to tensor<16x1xf16>
        %v97 = tensor.empty() : tensor<1x16xf16>
        %v98 = linalg.transpose ins(%v96 : tensor<16x1xf16>) outs(%v97 : tensor<1x16xf16>) permutation = [1, 0]
        %v99 = tensor.collapse_shape %v98 [[0, 1]] : tensor<1x16xf16> into tensor<16xf16>
        %v100 = tensor.empty() : tensor<16x1024xf16>
        %v101 = linalg.broadcast ins(%v99 : tensor<16xf16>) outs(%v100 : tensor<16x1024xf16>) dimensions = [1]
        %v102 = arith.divf %v91, %v101 : tensor<16x1024xf16>
        %v103 = tensor.expand_shape %v102 [[0], [1, 2]] output_shape [16, 16, 64] : tensor<16x1024xf16> into tensor<16x16x64xf16>
        %v104 = tensor.empty() : tensor<16x16x64xf16>
        %v105 = linalg.transpose ins(%v103 : tensor<16x16x64xf16>) outs(%v104 : tensor<16x16x64xf16>) permutation = [1, 0, 2]
        %v106 = ktdp.construct_memory_view %arg1, sizes: [16, 512, 64], strides: [32768, 64, 1] {coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<16x512x64xf16>
        %v107 = arith.muli %id, %c3 : index
        %v108 = arith.muli %part4_c0, %c4 : index
        %v109 = arith.addi %v107, %v108 : index
        %v110 = ktdp.construct_access_tile %v106[%c0, %v109, %c0] {access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<16x512x64xf16> -> !ktdp.access_tile<16x16x64xindex>
        ktdp.store %v105, %v110 : tensor<16x16x64xf16>, !ktdp.access_tile<16x16x64xindex>
      }
    }
    return
  }
}
