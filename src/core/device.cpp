#include "alfcg/core/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libalfcg_cuda.so";

// The number of the GPU; none for other words.
std::optional<int> number_of(std::string_view name) {
    if (name == "cuda") return 0;
    if (!name.starts_with("cuda:")) return std::nullopt;
    const std::string_view digits = name.substr(5);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
    return number;
}

// Where asked for (tests do); beside the program, or what this is linked into; or where it is installed.
fs::path library_path() {
    if (const char* given = std::getenv("ALFCG_CUDA_LIBRARY"); given != nullptr && *given != '\0')
        return given;
    std::error_code ignored;
    std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", ignored).parent_path()};
    Dl_info here;
    if (dladdr(reinterpret_cast<const void*>(&library_path), &here) != 0 && here.dli_fname != nullptr)
        folders.push_back(fs::path(here.dli_fname).parent_path());
    for (const fs::path& folder : folders)
        for (const fs::path& path :
             {folder / library_name, folder / ".." / ALFCG_LIBRARY_FOLDER / library_name})
            if (fs::exists(path, ignored)) return path;
    return {};
}

// The device, or why there is none.
std::shared_ptr<Device> open(int number, std::string& why) {
    const fs::path path = library_path();
    if (path.empty()) {
        why = fmt::format("this alfcg was built without CUDA ({} is not there): make cuda builds it",
                          library_name);
        return nullptr;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // for good
    if (library == nullptr) {
        why = fmt::format("{} cannot be opened: {}", path.string(), dlerror());
        return nullptr;
    }
    const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "alfcg_cuda_version"));
    const auto open = reinterpret_cast<Device* (*)(int, std::string*)>(dlsym(library, "alfcg_cuda_open"));
    if (version == nullptr || open == nullptr || std::string_view(version()) != ALFCG_VERSION) {
        why = fmt::format("{} is of another version of alfcg", path.string());
        return nullptr;
    }
    return std::shared_ptr<Device>(open(number, &why));
}

}  // namespace

void check_device(std::string_view name) {
    if (name != "cpu" && name != "auto" && !number_of(name))
        throw QuantityError("device", fmt::format("must be cpu, cuda, cuda:N or auto, not '{}'", name));
}

std::shared_ptr<Device> open_device(std::string_view name) {
    check_device(name);
    if (name == "cpu") return nullptr;
    std::string why;
    auto device = open(number_of(name).value_or(0), why);
    if (device == nullptr && name != "auto")
        throw QuantityError("device", fmt::format("{} cannot be had: {}", name, why));
    return device;
}

}  // namespace alfcg
