// hnswlib compiled for this machine, since Debian's Python package is compiled for
// all, without AVX.
//
//     hnswlib DIR WIDTH…
//
// DIR is written by cmd/bench (arrays.go). Inner product on unit vectors, one
// thread. Like peers.py it prints one JSON object a line; rates are by the
// processor's time.
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <time.h>

static double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// number is a whole number of meta.json, which is flat and written by us.
static size_t number(const std::string &json, const std::string &name) {
  size_t at = json.find("\"" + name + "\":");
  if (at == std::string::npos) {
    std::cerr << "meta.json has no " << name << "\n";
    exit(1);
  }
  return std::strtoul(json.c_str() + at + name.size() + 3, nullptr, 10);
}

static std::ifstream opened(const std::string &name) {
  std::ifstream f(name, std::ios::binary);
  if (!f) {
    std::cerr << "cannot read " << name << "\n";
    exit(1);
  }
  return f;
}

template <class T> static std::vector<T> whole(const std::string &name) {
  std::ifstream f = opened(name);
  std::vector<char> bytes((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
  std::vector<T> list(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.begin() + list.size() * sizeof(T), reinterpret_cast<char *>(list.data()));
  return list;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::cerr << "usage: hnswlib DIR WIDTH...\n";
    return 1;
  }
  const std::string dir = std::string(argv[1]) + "/";
  std::ifstream head = opened(dir + "meta.json");
  const std::string meta((std::istreambuf_iterator<char>(head)), std::istreambuf_iterator<char>());
  const size_t dim = number(meta, "dim"), k = number(meta, "k");

  std::ifstream rows = opened(dir + "rows.f32");
  rows.seekg(0, std::ios::end);
  const size_t n = static_cast<size_t>(rows.tellg()) / (dim * sizeof(float));
  rows.seekg(0);
  hnswlib::InnerProductSpace space(dim);
  hnswlib::HierarchicalNSW<float> index(&space, n, number(meta, "m"), number(meta, "ef_construction"), 1);
  std::vector<float> row(dim);
  double used = 0, start = now(CLOCK_MONOTONIC);
  for (size_t i = 0; i < n; i++) {
    if (!rows.read(reinterpret_cast<char *>(row.data()), dim * sizeof(float)))
      return 1;
    const double before = now(CLOCK_THREAD_CPUTIME_ID);
    index.addPoint(row.data(), i);
    used += now(CLOCK_THREAD_CPUTIME_ID) - before;
  }
  printf("{\"peer\":\"hnswlib-native\",\"what\":\"build\",\"seconds\":%.6g,\"per_second\":%.6g}\n",
         now(CLOCK_MONOTONIC) - start, n / used);

  const std::vector<float> queries = whole<float>(dir + "queries.f32");
  const std::vector<int32_t> truth = whole<int32_t>(dir + "truth.i32");
  const size_t asked = queries.size() / dim;
  for (int a = 2; a < argc; a++) {
    const size_t width = std::strtoul(argv[a], nullptr, 10);
    index.setEf(width);
    index.searchKnn(&queries[0], k);
    std::vector<double> times;
    size_t hits = 0;
    used = 0;
    for (size_t i = 0; i < asked; i++) {
      const double began = now(CLOCK_MONOTONIC), before = now(CLOCK_THREAD_CPUTIME_ID);
      auto found = index.searchKnn(&queries[i * dim], k);
      used += now(CLOCK_THREAD_CPUTIME_ID) - before;
      times.push_back(now(CLOCK_MONOTONIC) - began);
      const std::set<int32_t> want(truth.begin() + i * k, truth.begin() + (i + 1) * k);
      for (; !found.empty(); found.pop())
        hits += want.count(static_cast<int32_t>(found.top().second));
    }
    std::sort(times.begin(), times.end());
    printf("{\"peer\":\"hnswlib-native\",\"what\":\"search\",\"ef\":%zu,\"recall\":%.6f,\"per_second\":%.6g,"
           "\"p50_ms\":%.6g,\"p99_ms\":%.6g}\n",
           width, hits / static_cast<double>(truth.size()), asked / used, times[asked / 2] * 1e3,
           times[std::min(asked - 1, asked * 99 / 100)] * 1e3);
    fflush(stdout);
  }
}
