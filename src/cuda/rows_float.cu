#include "cuda/rows.cuh"

namespace alfcg::cuda {

std::unique_ptr<DeviceRows<float>> hold_rows(const Gpu& gpu, const DeviceProblem<float>& problem) {
    return std::make_unique<GpuRows<float>>(gpu, problem);
}

}  // namespace alfcg::cuda
