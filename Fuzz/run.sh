#!/bin/sh
# Builds the fuzzers and runs each for a bounded time: Fuzz/run.sh [seconds] [target...]
# Ends with 1 as soon as an input breaks something; the input is then in Fuzz/FailCases, for a test of its own.
# The fuzzers are compiled by swiftc, core by core, because libFuzzer brings its own main.
set -eu
# Swift's own backtraces get in the way of the sanitizer's, and of the input being kept.
export SWIFT_BACKTRACE=enable=no
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-request response chunks forward}
build=Fuzz/.build
mkdir -p "$build" Fuzz/FailCases

compile() { # module, sources...
  module=$1
  shift
  swiftc -swift-version 6 -O -wmo -package-name octet_gateway -parse-as-library -module-name "$module" \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature InternalImportsByDefault \
    -sanitize=fuzzer,address -I "$build" -emit-module -emit-module-path "$build/$module.swiftmodule" \
    -c -o "$build/$module.o" "$@"
}

for module in HTTPMessage HTTP1 Routing FieldPolicy; do compile "$module" Sources/"$module"/*.swift; done
compile ByteFeeder Tests/Support/ByteFeeder/*.swift

for target in $targets; do
  compile "Fuzz_$target" Fuzz/Targets/Support.swift Fuzz/Targets/Sections.swift "Fuzz/Targets/$target.swift"
  swiftc -sanitize=fuzzer,address -use-ld=lld -o "$build/$target" "$build/Fuzz_$target.o" "$build"/ByteFeeder.o \
    "$build"/HTTPMessage.o "$build"/HTTP1.o "$build"/Routing.o "$build"/FieldPolicy.o
  seeds=Fuzz/Corpus/$target
  [ "$target" = forward ] && seeds="$seeds Fuzz/Corpus/request"
  mkdir -p "$build/corpus-$target"
  echo "== $target, $seconds s"
  "$build/$target" -max_total_time="$seconds" -max_len=2048 -timeout=10 -rss_limit_mb=2048 \
    -dict=Fuzz/http.dict -artifact_prefix="Fuzz/FailCases/$target-" -print_final_stats=1 \
    "$build/corpus-$target" $seeds Fuzz/FailCases 2> "$build/$target.log" ||
    { tail -40 "$build/$target.log"; exit 1; }
  grep -E "DONE|stat::number_of_executed_units" "$build/$target.log"
done
