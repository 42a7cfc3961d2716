// Model files, as they are and with their entries changed under right checksums: they are read, or refused in one line, and what was
// read can be saved and read again.
#include <unistd.h>

#include <array>

#include "../model_examples.hpp"
#include "../temporary_folder.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/model/completion.hpp"
#include "fuzz.hpp"

namespace alfcg::fuzz {
namespace {

// Where files that are written go.
const std::string& place() {
    static const TemporaryFolder folder;
    static const std::string path = folder.file("m.npz");
    return path;
}

const std::vector<Entries>& originals() {
    static const std::vector<Entries> all = [] {
        std::vector<Entries> entries;
        save_model(example_model<float>(), place());
        entries.push_back(unpack(place()));
        Model<double> regression;
        regression.weights = Matrix<double>(1, 3);
        regression.loss = {"huber", {{"threshold", 2}}};
        regression.region = {"box", {{"lower", -1}, {"upper", 2}}, {}};
        save_model(regression, place());
        entries.push_back(unpack(place()));
        return entries;
    }();
    return all;
}

template <class Real>
void read(const std::string& path) {
    try {
        const Model<Real> model = load_model<Real>(path);
        save_model(model, place());
        require(same(load_model<Real>(place()), model), "what was saved is not what was read");
    } catch (const Error& error) {
        check_message(error.what());
    }
    try {
        static_cast<void>(model_is_double(path));
    } catch (const Error& error) {
        check_message(error.what());
    }
    try {
        if (is_completion(path)) static_cast<void>(load_completion<Real>(path));
    } catch (const Error& error) {
        check_message(error.what());
    }
}

// A few entries with other bytes, left out, or longer.
Entries changed(Input& input) {
    Entries entries = input.one_of(originals());
    for (Index left = 1 + input.below(3); left > 0; --left) {
        auto entry = entries.begin();
        std::advance(entry, input.below(std::ssize(entries)));
        std::string& bytes = entry->second;
        const auto at = static_cast<std::size_t>(input.below(std::ssize(bytes) + 1));
        switch (input.below(5)) {
            case 0:
                if (entries.size() > 1) entries.erase(entry);
                break;
            case 1:
                bytes.resize(at);
                break;
            case 2:
                bytes.insert(at, input.take(8));
                break;
            case 3:
                bytes = std::string(input.take(64));
                break;
            default:
                for (const char byte : input.take(8))
                    if (at < bytes.size()) bytes[at] = byte;
        }
    }
    return entries;
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    fuzz::Input input(data, size);
    const std::uint8_t kind = input.byte();
    if ((kind & 1U) != 0) {
        static_cast<void>(fuzz::originals());
        const fuzz::MemoryFile file(input.rest());
        (kind & 2U) != 0 ? fuzz::read<double>(file.path()) : fuzz::read<float>(file.path());
        return 0;
    }
    static const TemporaryFolder folder;
    const std::string path = folder.file("changed.npz");
    pack(fuzz::changed(input), path);
    (kind & 2U) != 0 ? fuzz::read<double>(path) : fuzz::read<float>(path);
    return 0;
}
