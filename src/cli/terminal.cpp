#include "cli/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace alfcg::cli {

namespace {

constexpr std::size_t usual_width = 80;

std::size_t width_of(std::FILE* terminal) {
    struct winsize size {};
    const bool known = ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : usual_width;
}

bool starts_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// The first `count` characters.
std::string beginning(const std::string& text, std::size_t count) {
    std::size_t end = 0;
    for (; end < text.size(); ++end)
        if (starts_character(text[end]) && count-- == 0) break;
    return text.substr(0, end);
}

std::size_t width_of(const TextColumn& column) {
    std::size_t width = characters(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, characters(cell));
    return width;
}

void write_raw(std::FILE* out, std::string_view text) {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), out));
}

bool reader_left(std::FILE* out) {
    struct pollfd state {
        fileno(out), POLLOUT, 0
    };
    return poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0;
}

}  // namespace

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string harmless(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto code = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        const bool two_bytes = code == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
        const bool control = (code < 32 && code != '\n' && code != '\t') || code == 127 || two_bytes;
        result += control ? '?' : text[i];
        if (two_bytes) ++i;
    }
    return result;
}

void put(std::FILE* out, std::string_view text) {
    write_raw(out, harmless(text));
}

void put_data(std::FILE* out, std::string_view text) {
    if (isatty(fileno(out)) != 0)
        put(out, text);
    else
        write_raw(out, text);
}

void hold_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", O_RDONLY));  // printing fails still
}

std::string output_failure() {
    errno = 0;
    const bool complete = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    const int reason = errno;
    if (complete || reason == EPIPE || reader_left(stdout)) return {};
    return "standard output: cannot write" +
           (reason == 0 ? std::string() : ": " + std::generic_category().message(reason));
}

std::string fit_width(const std::vector<std::string>& pieces, std::size_t width) {
    std::string line;
    for (const std::string& piece : pieces) {
        const std::string_view space = line.empty() ? "" : "  ";
        if (characters(line) + space.size() + characters(piece) > width) break;
        line.append(space).append(piece);
    }
    return line.empty() && !pieces.empty() ? beginning(pieces.front(), width) : line;
}

std::string text_table(const std::vector<TextColumn>& columns, std::size_t width) {
    std::vector<const TextColumn*> shown;
    shown.reserve(columns.size());
    for (const TextColumn& column : columns) shown.push_back(&column);
    const auto needed = [&] {
        std::size_t sum = 0;
        for (const TextColumn* column : shown) sum += width_of(*column) + 2;
        return sum;
    };
    while (shown.size() > 1 && needed() > width + 2)
        shown.erase(std::min_element(shown.begin(), shown.end(), [](const auto* one, const auto* other) {
            return one->importance < other->importance;
        }));
    std::string text;
    const auto line = [&](const auto& cell_of) {
        std::string row;
        for (const TextColumn* column : shown) {
            const std::string& cell = cell_of(*column);
            const std::string space(width_of(*column) - characters(cell), ' ');
            row += (row.empty() ? "" : "  ") + (column->number ? space + cell : cell + space);
        }
        text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    };
    line([](const TextColumn& column) -> const std::string& { return column.title; });
    for (std::size_t k = 0; !columns.empty() && k < columns.front().cells.size(); ++k)
        line([k](const TextColumn& column) -> const std::string& { return column.cells[k]; });
    return text;
}

std::size_t room_of(std::FILE* out) {
    return isatty(fileno(out)) != 0 ? width_of(out) : std::numeric_limits<std::size_t>::max() - 2;
}

LiveLine::LiveLine(std::FILE* out) : out_(out), terminal_(out != nullptr && isatty(fileno(out)) != 0) {}

void LiveLine::show(const std::vector<std::string>& pieces) {
    if (!terminal_) return;
    // The cursor waits at the line's beginning. A terminal that becomes narrower may break the line in two: the cursor
    // is at the beginning still, and what follows it is cleared. The last column stays empty, as some terminals wrap there.
    write_raw(out_, "\033[J" + harmless(fit_width(pieces, width_of(out_) - 1)) + "\r");
    std::fflush(out_);
    open_ = true;
}

void LiveLine::clear() {
    if (!open_) return;
    write_raw(out_, "\033[J");
    std::fflush(out_);
    open_ = false;
}

}  // namespace alfcg::cli
