// What the library opens when a GPU is asked for: a library of its own, so that nobody else needs CUDA.
#include <exception>
#include <memory>
#include <string>

#include "cuda/rows.cuh"

namespace alfcg::cuda {

namespace {

class CudaDevice final : public Device {
  public:
    explicit CudaDevice(int number) : gpu_(number) {
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, number), "the device does not answer");
        description_ = properties.name;
    }
    [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(gpu_.number); }
    [[nodiscard]] std::string description() const override { return description_; }
    std::unique_ptr<DeviceRows<float>> hold(const DeviceProblem<float>& problem) override {
        gpu_.use();
        return hold_rows(gpu_, problem);
    }
    std::unique_ptr<DeviceRows<double>> hold(const DeviceProblem<double>& problem) override {
        gpu_.use();
        return hold_rows(gpu_, problem);
    }

  private:
    Gpu gpu_;
    std::string description_;
};

}  // namespace

}  // namespace alfcg::cuda

extern "C" {

const char* alfcg_cuda_version() {
    return ALFCG_VERSION;
}

/// The GPU of this number; null, and why, where there is none.
alfcg::Device* alfcg_cuda_open(int number, std::string* why) {
    try {
        int count = 0;
        const cudaError_t status = cudaGetDeviceCount(&count);
        if (status != cudaSuccess || count == 0) {
            *why = std::string("there is no GPU (") + cudaGetErrorString(status) + ")";
            return nullptr;
        }
        if (number >= count) {
            *why = "GPUs are numbered from 0 to " + std::to_string(count - 1);
            return nullptr;
        }
        return new alfcg::cuda::CudaDevice(number);
    } catch (const std::exception& error) {
        *why = error.what();
        return nullptr;
    }
}

}  // extern "C"
