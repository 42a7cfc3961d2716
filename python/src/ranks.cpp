#include "ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace alfcg::python {

namespace {

// MPI counts in ints: so many bytes at most are sent at a time, of all ranks together.
constexpr std::size_t at_once = std::size_t{1} << 30;

nb::object readable(const void* data, std::size_t bytes) {
    return nb::steal(PyMemoryView_FromMemory(static_cast<char*>(const_cast<void*>(data)),
                                             static_cast<Py_ssize_t>(bytes), PyBUF_READ));
}
nb::object writable(void* data, std::size_t bytes) {
    return nb::steal(
        PyMemoryView_FromMemory(static_cast<char*>(data), static_cast<Py_ssize_t>(bytes), PyBUF_WRITE));
}

class PythonRanks final : public Ranks {
  public:
    explicit PythonRanks(nb::object comm)
        : Ranks(nb::cast<int>(comm.attr("Get_rank")()), nb::cast<int>(comm.attr("Get_size")())),
          comm_(std::move(comm)) {}

  protected:
    void gather_bytes(const void* mine, std::size_t bytes, void* all) override {
        in_pieces("Allgather", mine, bytes, false, all, true);
    }
    void exchange_bytes(const void* blocks, std::size_t bytes, void* received) override {
        in_pieces("Alltoall", blocks, bytes, true, received, true);
    }
    void tell_bytes(void* bytes, std::size_t count) override {
        const nb::gil_scoped_acquire lock;
        for (std::size_t at = 0; at < count; at += at_once)
            comm_.attr("Bcast")(writable(static_cast<char*>(bytes) + at, std::min(at_once, count - at)));
    }
    void collect_bytes(const void* mine, std::size_t bytes, void* all) override {
        in_pieces("Gather", mine, bytes, false, rank() == 0 ? all : nullptr, true);
    }
    void deal_bytes(const void* blocks, std::size_t bytes, void* mine) override {
        in_pieces("Scatter", rank() == 0 ? blocks : nullptr, bytes, true, mine, false);
    }

  private:
    // One call, where there is no more than that, from and to blocks of so many bytes: one for each rank, or one alone. Null: this rank has none.
    void in_pieces(const char* method, const void* from, std::size_t bytes, bool many_from, void* to,
                   bool many_to) {
        const auto ranks = static_cast<std::size_t>(size());
        const std::size_t most = std::max<std::size_t>(at_once / ranks, 1);
        const nb::gil_scoped_acquire lock;
        const auto call = [&](const void* sent, void* received, std::size_t count) {
            const nb::object none = nb::none();
            comm_.attr(method)(
                sent == nullptr ? none : readable(sent, count * (many_from ? ranks : 1)),
                received == nullptr ? none : writable(received, count * (many_to ? ranks : 1)));
        };
        if (bytes == 0) return;
        if (bytes <= most) return call(from, to, bytes);
        std::vector<char> sent;
        std::vector<char> received;
        for (std::size_t at = 0; at < bytes; at += most) {
            const std::size_t count = std::min(most, bytes - at);
            sent.resize(from == nullptr ? 0 : count * (many_from ? ranks : 1));
            received.resize(to == nullptr ? 0 : count * (many_to ? ranks : 1));
            for (std::size_t k = 0; k * count < sent.size(); ++k)
                std::memcpy(sent.data() + k * count, static_cast<const char*>(from) + k * bytes + at, count);
            call(from == nullptr ? nullptr : sent.data(), to == nullptr ? nullptr : received.data(), count);
            for (std::size_t k = 0; k * count < received.size(); ++k)
                std::memcpy(static_cast<char*>(to) + k * bytes + at, received.data() + k * count, count);
        }
    }

    nb::object comm_;
};

}  // namespace

std::unique_ptr<Ranks> ranks_of(const nb::object& comm) {
    if (!comm.is_valid() || comm.is_none()) return nullptr;
    if (!nb::hasattr(comm, "Get_rank") || !nb::hasattr(comm, "Allgather"))
        throw nb::type_error("comm must be a communicator of mpi4py, such as MPI.COMM_WORLD");
    return std::make_unique<PythonRanks>(comm);
}

}  // namespace alfcg::python
