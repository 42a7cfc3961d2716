#include "cuda/rows.cuh"

namespace alfcg::cuda {

std::unique_ptr<DeviceRows<double>> hold_rows(const Gpu& gpu, const DeviceProblem<double>& problem) {
    return std::make_unique<GpuRows<double>>(gpu, problem);
}

}  // namespace alfcg::cuda
