#pragma once

namespace alfcg {

/// Bytes of memory that this process may have: the machine's, or less where a control group limits it.
double memory_limit();
/// Whether that is less than the machine has.
bool memory_is_limited();
/// Bytes of it that nobody uses. Pages of files are given back when others need them: they do not count as used.
double free_memory();
/// The most bytes that this process has had in memory at a time, pages of files that it has mapped among them.
double peak_memory();

/// How pages of a mapped file are looked at.
enum class PageReading { usual, in_order, scattered };
/// Tells the system, which reads far ahead of whoever walks in order, and nothing but the page that is asked for where they are scattered.
void advise_reading(const void* first, const void* last, PageReading reading);
/// Asks the system to read these pages, and does not wait for it.
void read_soon(const void* first, const void* last);

}  // namespace alfcg
