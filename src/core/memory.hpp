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

/// Asks the system to read these pages of a mapped file, and does not wait for it.
void read_soon(const void* first, const void* last);

}  // namespace alfcg
