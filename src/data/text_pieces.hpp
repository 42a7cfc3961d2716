#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <shared_mutex>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "core/parallel.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

/// Reads a text on several threads. Each takes the next piece of whole records out of the text (which is when
/// an archive is decompressed, by one thread at a time), parses it on its own, waits until all pieces before
/// have been added, and adds it. So the outcome, the first error included, is that of reading in order.
///
/// A Reader has a type Part for what was parsed from one piece, and
///   cut(text, most)    bytes of whole records at the front of `text`, about `most`, or more when the first
///                      record is longer; 0 when that does not end in `text`
///   parse(text, part)  replaces `part`; does not know what stands before the text, and so leaves every
///                      judgement on bad text to `add`; on several threads at once
///   add(text, part)    in order, one at a time: counts the part in, after parsing its text again when it
///                      matters what stands before; throws what is wrong; true when no more is wanted
///   has_room(), make_room()  whether everything counted in has a place to go; making it may move what is
///                      there, so that nothing is copied meanwhile
///   copy(part)         to the place that `add` gave it; on several threads at once
/// Each piece ends with a line end, also when the text does not.
template <class Reader>
class PieceLoop {
  public:
    PieceLoop(TextBuffer& text, Reader& reader) : text_(text), reader_(reader) {}

    void run(int threads) {
        parallel(threads, [this](int) { work(); });
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    using Part = typename Reader::Part;

    struct Work {
        TextPiece piece;
        Part part;
        Index number = 0;            // of the piece in the text
        std::exception_ptr failure;  // instead of a piece
    };

    void work() {
        Work mine;
        while (take(mine)) {
            std::shared_lock<std::shared_mutex> staying;
            if (!add(mine, staying)) return;
            reader_.copy(mine.part);
            if (mine.piece.size > text_.sizes().window) mine = {};  // keep no more memory than usual
        }
    }

    // The next piece, parsed; false when there is none.
    bool take(Work& mine) {
        try {
            const std::lock_guard lock(source_);
            if (ended_ || stopped_) return false;
            mine.number = taken_++;
            ended_ = true;  // unless all goes well
            if (!find_piece(mine)) return false;
            ended_ = text_.complete() && text_.text().empty();
        } catch (...) {
            mine.failure = std::current_exception();
        }
        if (!mine.failure) {
            try {
                reader_.parse(mine.piece.text(), mine.part);
            } catch (...) {
                mine.failure = std::current_exception();
            }
        }
        return true;
    }

    bool find_piece(Work& mine) {
        std::size_t bytes = 0;
        bool complete = false;
        while (bytes == 0 && !complete) {
            complete = text_.complete();
            bytes = reader_.cut(text_.text(), text_.sizes().piece);
            if (bytes == 0 && !complete) text_.more();
        }
        if (bytes == 0) bytes = text_.text().size();  // the last line has no end
        if (bytes == 0) return false;
        // Of records that are longer than the window, only one is parsed at a time.
        if (bytes > text_.sizes().window) wait_for_turn(mine.number);
        text_.take(bytes, mine.piece);
        TextPiece& piece = mine.piece;
        if (piece.text().back() != '\n') {
            piece.bytes.resize(piece.first + piece.size);
            piece.bytes.push_back('\n');
            ++piece.size;
        }
        return true;
    }

    std::unique_lock<std::mutex> wait_for_turn(Index number) {
        std::unique_lock lock(order_);
        turn_.wait(lock, [&] { return added_ == number || stopped_; });
        return lock;
    }

    // False when there is nothing to copy. Otherwise `staying` keeps the room from being moved.
    bool add(Work& mine, std::shared_lock<std::shared_mutex>& staying) {
        bool added = false;
        {
            const std::unique_lock lock = wait_for_turn(mine.number);
            if (stopped_) return false;
            try {
                if (mine.failure) std::rethrow_exception(mine.failure);
                const bool enough = reader_.add(mine.piece.text(), mine.part);
                if (!reader_.has_room()) {
                    const std::unique_lock alone(moving_);
                    reader_.make_room();
                }
                staying = std::shared_lock(moving_);
                stopped_ = enough;
                added = true;
            } catch (...) {
                failure_ = std::current_exception();
                stopped_ = true;
            }
            ++added_;
        }
        turn_.notify_all();
        return added;
    }

    TextBuffer& text_;
    Reader& reader_;

    std::mutex source_;  // guards text_, taken_ and ended_
    Index taken_ = 0;
    bool ended_ = false;

    std::mutex order_;  // guards added_, failure_ and the reader's counts
    std::condition_variable turn_;
    Index added_ = 0;
    std::exception_ptr failure_;
    std::atomic<bool> stopped_ = false;

    std::shared_mutex moving_;  // held together by those who copy, alone by who moves the room
};

/// Reads the rest of the text with `reader`.
template <class Reader>
void read_pieces(TextBuffer& text, Reader& reader, const ReadOptions& options) {
    int threads = resolve_threads(options.threads);
    // A short text is not worth more threads than it has pieces.
    const std::size_t pieces = text.text().size() / text.sizes().piece + 1;
    if (text.complete() && pieces < static_cast<std::size_t>(threads)) threads = static_cast<int>(pieces);
    // Reading ahead of the rows that are wanted could mean to wait for ever.
    if (options.rows > 0 && text.source().piped()) threads = 1;
    PieceLoop(text, reader).run(threads);
}

/// Has read(lines_before) read this rank's lines of what follows. Where one is wrong, they are read again, to tell its number.
template <class Read>
void read_share(TextBuffer& text, const Ranks& ranks, const Read& read) {
    const TextShare share = text.share(ranks.rank(), ranks.size());
    text.keep(share);
    try {
        read(Index{0});
    } catch (const InputError&) {
        text.keep(share);
        read(static_cast<Index>(text.source().raw().lines_before(share.begin)));
    }
}

}  // namespace alfcg
