// Whether a problem is one for the fused pass, and how that is cut.
#pragma once

#include <algorithm>
#include <array>

#include "cuda/fused.cuh"
#include "cuda/gpu.cuh"

namespace alfcg::cuda {

template <class Real>
class FusedPlan {
  public:
    FusedPlan() = default;
    FusedPlan(const Gpu& gpu, Index rows, Index stride, int outputs) {
        const Index packs = stride / Pack<Real>::size;
        const int own_packs = packs <= fused_threads ? 1 : 2;
        const int capacity = capacity_for(outputs);
        if (capacity == 0 || packs > own_packs * fused_threads || (own_packs == 2 && capacity > 10)) return;
        constexpr Index fewest_threads = 128;
        threads_ = static_cast<int>(
            std::max(fewest_threads, divided_up(divided_up(packs, own_packs), warp_size) * warp_size));
        // Two blocks side by side wait less than one; else as many rows as there is room for.
        constexpr int of_the_system = 1024;
        const int shared_by_two = gpu.processor_memory / 2 - of_the_system;
        for (const int limit : {std::min(shared_by_two, gpu.block_memory), gpu.block_memory})
            for (int tile = most_tile_rows; tile_rows_ == 0 && tile >= fused_rows_together; tile /= 2) {
                const int groups = tile / fused_rows_together;
                slices_ = static_cast<int>(
                    std::clamp<Index>(threads_ / warp_size / groups, 1, divided_up(packs, warp_size)));
                memory_ = fused_memory<Real>(stride, capacity, tile, slices_);
                if (memory_ <= static_cast<std::size_t>(limit)) tile_rows_ = tile;
            }
        if (tile_rows_ == 0) return;
        kernel_ = own_packs == 1 ? kernel_for<1>(capacity) : kernel_for<2>(capacity);
        check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(memory_)),
              "shared memory cannot be had");
        int together = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel_, threads_, memory_),
              "occupancy");
        blocks_ =
            std::min<Index>(Index{gpu.processors} * std::max(together, 1), divided_up(rows, tile_rows_));
    }

    [[nodiscard]] bool fits() const { return kernel_ != nullptr; }
    [[nodiscard]] Index blocks() const { return blocks_; }
    /// The pass but for its tiles.
    void start(FusedPass<Real> pass, cudaStream_t stream) const {
        pass.tile_rows = tile_rows_;
        pass.slices = slices_;
        launch(kernel_, grid(blocks_), threads_, memory_, stream, pass);
    }

  private:
    using Kernel = void (*)(FusedPass<Real>);
    static constexpr std::array<int, 6> capacities{1, 2, 4, 8, 10, 16};

    static int capacity_for(int outputs) {
        for (const int capacity : capacities)
            if (outputs <= capacity) return capacity;
        return 0;
    }
    template <int own_packs>
    static Kernel kernel_for(int capacity) {
        switch (capacity) {
            case 1:
                return fused_pass<Real, 1, own_packs>;
            case 2:
                return fused_pass<Real, 2, own_packs>;
            case 4:
                return fused_pass<Real, 4, own_packs>;
            case 8:
                return fused_pass<Real, 8, own_packs>;
            case 10:
                return fused_pass<Real, 10, own_packs>;
            default:
                return fused_pass<Real, 16, 1>;
        }
    }

    Kernel kernel_ = nullptr;
    int threads_ = 0;
    int tile_rows_ = 0;
    int slices_ = 1;
    std::size_t memory_ = 0;
    Index blocks_ = 0;
};

}  // namespace alfcg::cuda
