#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace alfcg {

/// Number types that array files hold.
enum class ElementType { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

/// Calls body(std::type_identity<T>{}) with the C++ type of the elements.
template <class Body>
decltype(auto) with_element_type(ElementType type, const Body& body) {
    switch (type) {
        case ElementType::f32:
            return body(std::type_identity<float>{});
        case ElementType::f64:
            return body(std::type_identity<double>{});
        case ElementType::i8:
            return body(std::type_identity<std::int8_t>{});
        case ElementType::i16:
            return body(std::type_identity<std::int16_t>{});
        case ElementType::i32:
            return body(std::type_identity<std::int32_t>{});
        case ElementType::i64:
            return body(std::type_identity<std::int64_t>{});
        case ElementType::u16:
            return body(std::type_identity<std::uint16_t>{});
        case ElementType::u32:
            return body(std::type_identity<std::uint32_t>{});
        case ElementType::u64:
            return body(std::type_identity<std::uint64_t>{});
        case ElementType::u8:
        case ElementType::boolean:
            break;
    }
    return body(std::type_identity<std::uint8_t>{});
}

inline std::size_t element_bytes(ElementType type) {
    return with_element_type(type, [](auto id) { return sizeof(typename decltype(id)::type); });
}

template <class T>
T load_element(const unsigned char* bytes, bool swap_bytes) {
    unsigned char copy[sizeof(T)];
    std::memcpy(copy, bytes, sizeof(T));
    if (swap_bytes)
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(copy[i], copy[sizeof(T) - 1 - i]);
    return std::bit_cast<T>(copy);
}

/// Converts `count` elements that lie one behind the other; element k goes to to[k * stride].
template <class Real>
void convert_elements(const unsigned char* bytes, std::size_t count, ElementType type, bool swap_bytes,
                      Real* to, std::size_t stride) {
    with_element_type(type, [&](auto id) {
        using T = typename decltype(id)::type;
        const bool swap_each = swap_bytes && sizeof(T) > 1;
        for (std::size_t k = 0; k < count; ++k)
            to[k * stride] = static_cast<Real>(load_element<T>(bytes + k * sizeof(T), swap_each));
    });
}

}  // namespace alfcg
