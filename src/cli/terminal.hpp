#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alfcg::cli {

/// The text without what a terminal takes for a command, as names in a file may hold: control characters other than line ends and
/// tabs become question marks.
std::string harmless(std::string_view text);

/// Prints in the middle of work that is to go on whatever becomes of the output: a reader that has left (`| head`) and a
/// full disk are remembered by the stream, and looked at when the work is done (`output_failure`). What is printed is harmless.
void put(std::FILE* out, std::string_view text);
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
    put(stdout, fmt::format(format, std::forward<Values>(values)...));
}
/// What a program reads, as it is; harmless on a terminal.
void put_data(std::FILE* out, std::string_view text);

/// Takes the numbers of standard streams that the caller has closed: a file opened later would get one, and what is printed
/// would end up in it. To be called first.
void hold_standard_streams();

/// Flushes; why the standard output did not take all that was printed, or nothing when it did, or when its reader left before
/// the end, which is the reader's right.
std::string output_failure();

/// Characters of UTF-8 text, which take a column of the terminal each.
std::size_t characters(std::string_view text);

/// As many of the pieces, from the first on and two spaces apart, as fit into `width` columns; the first is cut where it does not
/// fit alone.
std::string fit_width(const std::vector<std::string>& pieces, std::size_t width);

/// A column of a table of text.
struct TextColumn {
    std::string title;
    int importance = 0;  // what is less important is left out first
    bool number = true;  // set to the right, else to the left
    std::vector<std::string> cells = {};
};

/// The table, a line for each row; columns that do not fit are left out.
std::string text_table(const std::vector<TextColumn>& columns, std::size_t width);

/// The columns of the terminal that `out` is, or as many as one likes where it is none.
std::size_t room_of(std::FILE* out);

/// One line of a terminal that is written again and again in its place. It never wraps: the width is asked for each time, so
/// that a terminal may be resized at any time.
class LiveLine {
  public:
    /// out = nullptr: says nothing.
    explicit LiveLine(std::FILE* out);
    ~LiveLine() { clear(); }
    LiveLine(const LiveLine&) = delete;
    LiveLine& operator=(const LiveLine&) = delete;

    [[nodiscard]] bool on_terminal() const { return terminal_; }
    /// The most important piece first. Only on a terminal.
    void show(const std::vector<std::string>& pieces);
    /// Makes room for a line that stays.
    void clear();

  private:
    std::FILE* out_;
    bool terminal_;
    bool open_ = false;
};

}  // namespace alfcg::cli
