#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace alfcg {

/// Something to call that lives at least as long as this: a std::function that owns nothing and allocates nothing.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
  public:
    template <class Callable>
    requires(!std::is_same_v<Callable, FunctionRef>) FunctionRef(
        const Callable& callable)  // NOLINT(google-explicit-constructor): a lambda is handed over as it is
        : callable_(std::addressof(callable)), call_([](const void* to, Arguments... arguments) -> Result {
              return (*static_cast<const Callable*>(to))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(callable_, std::forward<Arguments>(arguments)...);
    }

  private:
    const void* callable_;
    Result (*call_)(const void*, Arguments...);
};

}  // namespace alfcg
