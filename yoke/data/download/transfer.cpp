#include "yoke/data/download/transfer.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

constexpr long kPartialContent = 206;
constexpr long kRangeNotSatisfiable = 416;
constexpr long kSlowBytesPerSecond = 100;

/// Paths of this machine may hold spaces, addresses may not.
std::string escaped(const std::string& url) {
  std::string text;
  for (const char letter : url) text += letter == ' ' ? std::string("%20") : std::string(1, letter);
  return text;
}

/// One libcurl transfer with its callbacks.
class Transfer {
 public:
  Transfer(const TransferRequest& request, PartFile& file)
      : request_(request), file_(file), start_bytes_(file.size_bytes()) {
    if (!curl_) throw Error("libcurl does not start");
    configure();
  }

  TransferResult run() {
    const CURLcode code = curl_easy_perform(curl_.get());
    if (failure_) std::rethrow_exception(failure_);
    if (!refusal_.empty()) return {TransferEnd::kRefused, start_bytes_, refusal_};
    if (stale_ || status() == kRangeNotSatisfiable || code == CURLE_BAD_DOWNLOAD_RESUME) {
      return {TransferEnd::kStale, start_bytes_,
              "the server cannot go on from the bytes there are"};
    }
    if (code == CURLE_OK) return finished();
    return {worth_another_try(code) ? TransferEnd::kBroken : TransferEnd::kRefused, start_bytes_,
            reason(code)};
  }

 private:
  void configure();
  void receive(std::span<const std::byte> bytes);
  void check_start();
  void read_header(std::string_view line);
  void report(std::int64_t received_bytes, std::int64_t expected_bytes) const;
  TransferResult finished();
  bool worth_another_try(CURLcode code) const;
  std::string reason(CURLcode code) const;

  long status() const {
    long status = 0;  // 0 for file://
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(curl_.get(), option, value);
    if (code != CURLE_OK) throw Error(fmt::format("libcurl: {}", curl_easy_strerror(code)));
  }

  /// Runs `body` and keeps what it throws, for exceptions must not pass through libcurl.
  template <typename Body>
  bool guarded(Body body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) noexcept;
  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) noexcept;
  static int on_progress(void* self, curl_off_t expected, curl_off_t received, curl_off_t,
                         curl_off_t) noexcept;

  struct Cleanup {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  };

  const TransferRequest& request_;
  PartFile& file_;
  std::int64_t start_bytes_;
  std::int64_t range_start_ = -1;  // of the Content-Range header
  bool started_ = false;
  bool stale_ = false;
  std::string refusal_;
  std::exception_ptr failure_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::unique_ptr<CURL, Cleanup> curl_{curl_easy_init()};
};

void Transfer::configure() {
  set(CURLOPT_URL, escaped(request_.url).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, fmt::format("yoke/{}", kVersion).c_str());
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_timeout.count()));
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.stall_timeout.count()));
  if (start_bytes_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", start_bytes_).c_str());
  set(CURLOPT_ERRORBUFFER, message_.data());
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(CURLOPT_XFERINFODATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
}

std::size_t Transfer::on_body(char* data, std::size_t, std::size_t size, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  const bool good =
      transfer.guarded([&] { transfer.receive(std::as_bytes(std::span(data, size))); });
  return good && !transfer.stale_ && transfer.refusal_.empty() ? size : 0;
}

std::size_t Transfer::on_header(char* data, std::size_t, std::size_t size, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.guarded([&] { transfer.read_header({data, size}); }) ? size : 0;
}

int Transfer::on_progress(void* self, curl_off_t expected, curl_off_t received, curl_off_t,
                          curl_off_t) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.guarded([&] { transfer.report(received, expected); }) ? 0 : 1;
}

void Transfer::read_header(std::string_view line) {
  if (line.starts_with("HTTP/")) range_start_ = -1;  // the next response of a chain of redirects
  const std::string name(line.substr(0, line.find(':')));
  if (!curl_strequal(name.c_str(), "content-range")) return;
  const auto digit = line.find_first_of("0123456789");
  if (digit != std::string_view::npos) {
    line.remove_prefix(digit);
    range_start_ = take_number<std::int64_t>(line).value_or(-1);
  }
}

// Before the first byte is kept: is this the part of the file that was asked for?
void Transfer::check_start() {
  started_ = true;
  if (start_bytes_ > 0 && status() == kPartialContent && range_start_ != start_bytes_) {
    stale_ = true;
    return;
  }
  if (start_bytes_ > 0 && status() != kPartialContent && status() != 0) {  // ranges are ignored
    file_.clear();
    start_bytes_ = 0;
  }
  curl_off_t length = -1;
  curl_easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (status() != 0 && length >= 0 && request_.size_bytes > 0 &&
      start_bytes_ + length != request_.size_bytes) {
    refusal_ = fmt::format("it is {} bytes there, expected {}", start_bytes_ + length,
                           request_.size_bytes);
  }
}

void Transfer::receive(std::span<const std::byte> bytes) {
  if (!started_) check_start();
  if (stale_ || !refusal_.empty()) return;
  const auto size = file_.size_bytes() + static_cast<std::int64_t>(bytes.size());
  const auto most = request_.size_bytes > 0 ? request_.size_bytes : request_.most_bytes;
  if (most > 0 && size > most) {
    refusal_ = fmt::format("it is longer there than the expected {} bytes", most);
    return;
  }
  file_.append(bytes);
}

void Transfer::report(std::int64_t received_bytes, std::int64_t expected_bytes) const {
  if (!request_.progress || !started_ || received_bytes == 0) return;
  const auto total = expected_bytes > 0 ? start_bytes_ + expected_bytes : 0;
  request_.progress(file_.size_bytes(), request_.size_bytes > 0 ? request_.size_bytes : total);
}

TransferResult Transfer::finished() {
  if (!started_ && start_bytes_ > 0 && status() != kPartialContent && status() != 0) check_start();
  if (request_.size_bytes == 0 || file_.size_bytes() == request_.size_bytes) {
    return {TransferEnd::kComplete, start_bytes_, ""};
  }
  // A server that closes to mark the end cannot tell a cut from the end.
  return {TransferEnd::kBroken, start_bytes_,
          fmt::format("the transfer ended after {} of {} bytes", file_.size_bytes(),
                      request_.size_bytes)};
}

bool Transfer::worth_another_try(CURLcode code) const {
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR:
      return status() >= 500 || status() == 408 || status() == 429;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_FILE_COULDNT_READ_FILE:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return false;
    default:
      return true;
  }
}

std::string Transfer::reason(CURLcode code) const {
  if (code == CURLE_HTTP_RETURNED_ERROR) return fmt::format("HTTP status {}", status());
  return message_[0] != '\0' ? message_.data() : curl_easy_strerror(code);
}

}  // namespace

TransferResult transfer(const TransferRequest& request, PartFile& file) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw Error("libcurl does not start");
  return Transfer(request, file).run();
}

}  // namespace yoke
