// Calls a fuzz target with inputs made by chance from those in its corpus, where there is no libFuzzer: with its options, as far as they
// are needed.
//
//     TARGET [-max_total_time=SECONDS] [-runs=N] [-seed=N] [-max_len=BYTES] [-artifact_prefix=PATH] [FILE|FOLDER]...
//
// A single file is run as it is. The input that ends the program is left in the file PATH + "crash".
#include <fcntl.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.hpp"

namespace {

std::string current;  // what a handler writes out
std::string place = "crash";
using Random = std::mt19937_64;

void leave_input(int number) {
    const int file = ::open(place.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && ::write(file, current.data(), current.size()) >= 0) ::close(file);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

void run(std::string input) {
    current = std::move(input);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t position(Random& random, const std::string& text) {
    return static_cast<std::size_t>(random() % (text.size() + 1));
}

// A few changes at random: bytes, pieces left out, repeated, or taken from another input.
std::string changed(std::string text, const std::string& other, Random& random, std::size_t longest) {
    for (std::uint64_t left = 1 + random() % 8; left > 0; --left) {
        const std::size_t at = position(random, text);
        const std::size_t length = random() % 16;
        switch (random() % 7) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(random());
                break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text.insert(at, 1 + length / 4, static_cast<char>(random()));
                break;
            case 4:
                text.insert(position(random, text), text.substr(at, length));
                break;
            case 5:
                text.insert(at, other.substr(std::min(other.size(), position(random, other)), 4 * length));
                break;
            default:
                text.insert(at, fmt::format("{}", static_cast<std::int64_t>(random()) >> random() % 63));
        }
    }
    if (text.size() > longest) text.resize(longest);
    return text;
}

}  // namespace

int main(int count, char** arguments) {
    double seconds = 10;
    std::uint64_t runs = ~std::uint64_t{0};
    std::uint64_t seed = std::random_device()();
    std::size_t longest = 4096;
    std::vector<std::string> corpus;
    bool single = false;
    for (int k = 1; k < count; ++k) {
        const std::string argument = arguments[k];
        const std::string value = argument.substr(argument.find('=') + 1);
        if (argument.starts_with("-max_total_time=")) {
            seconds = std::stod(value);
        } else if (argument.starts_with("-runs=")) {
            runs = std::stoull(value);
        } else if (argument.starts_with("-seed=")) {
            seed = std::stoull(value);
        } else if (argument.starts_with("-max_len=")) {
            longest = std::stoull(value);
        } else if (argument.starts_with("-artifact_prefix=")) {
            place = value + "crash";
        } else if (std::filesystem::is_directory(argument)) {
            for (const auto& entry : std::filesystem::directory_iterator(argument))
                corpus.push_back(bytes_of(entry.path()));
        } else if (!argument.starts_with('-')) {
            corpus.push_back(bytes_of(argument));
            single = count == 2;
        }
    }
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(number, leave_input);
    for (const std::string& input : corpus) run(input);
    if (single) return 0;
    corpus.emplace_back();
    Random random(seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::uint64_t done = corpus.size() - 1;
    for (; done < runs && std::chrono::steady_clock::now() < end; ++done) {
        const std::string& one = corpus[random() % corpus.size()];
        if (random() % 4 != 0) {
            run(changed(one, corpus[random() % corpus.size()], random, longest));
            continue;
        }
        std::string bytes(random() % 64, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        run(std::move(bytes));
    }
    fmt::print(stderr, "{} executions from seed {}, nothing found\n", done, seed);
    return 0;
}
