#include "symbols/source_statement.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::symbols {
namespace {

// No source file is larger; something else under its name may be.
constexpr uintmax_t kLargestSource = uintmax_t{64} << 20;

bool is_readable_source(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size <= kLargestSource;
}

std::optional<std::filesystem::path> locate(const std::string& file, const std::vector<std::string>& directories) {
  std::filesystem::path path(file);
  if (is_readable_source(path)) return path;
  std::vector<std::filesystem::path> parts;
  for (const std::filesystem::path& part : path.relative_path()) {
    if (part != "." && part != "..") parts.push_back(part);
  }
  // The longest ending first: it is the least likely to name another file.
  for (size_t first = 0; first < parts.size(); ++first) {
    std::filesystem::path ending;
    for (size_t i = first; i < parts.size(); ++i) ending /= parts[i];
    for (const std::string& directory : directories) {
      std::filesystem::path candidate = std::filesystem::path(directory) / ending;
      if (is_readable_source(candidate)) return candidate;
    }
  }
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool is_digit_or_letter(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

SourceFiles::SourceFiles(std::vector<std::string> directories) : directories_(std::move(directories)) {}

const std::vector<std::string>& SourceFiles::lines_of(const std::string& file) {
  auto [entry, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = entry->second;
  if (!is_new) return lines;
  auto path = locate(file, directories_);
  if (!path.has_value()) return lines;
  std::ifstream stream(*path, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<std::string> SourceFiles::line(const std::string& file, int number) {
  if (file.empty() || number < 1) return std::nullopt;
  const std::vector<std::string>& lines = lines_of(file);
  auto index = static_cast<size_t>(number) - 1;
  if (index >= lines.size()) return std::nullopt;
  return lines[index];
}

std::optional<std::string> SourceFiles::statement(const std::string& file, int number) {
  std::optional<std::string> text = line(file, number);
  if (text.has_value()) text = clean_statement(*text);
  return text;
}

std::string clean_statement(std::string_view line) {
  std::string out;
  char quote = '\0';
  for (size_t at = 0; at < line.size(); ++at) {
    char c = line[at];
    if (quote != '\0') {
      out += c;
      if (c == '\\' && at + 1 < line.size()) {
        out += line[++at];
      } else if (c == quote) {
        quote = '\0';
      }
      continue;
    }
    if (c == '/' && line.substr(at).starts_with("//")) break;
    if (c == '/' && line.substr(at).starts_with("/*")) {
      size_t end = line.find("*/", at + 2);
      if (end == std::string_view::npos) break;
      at = end + 1;
      c = ' ';
    }
    if (is_space(c)) {
      if (!out.empty() && out.back() != ' ') out += ' ';
      continue;
    }
    // The quote in 1'000 separates digits.
    if (c == '"' || (c == '\'' && (at == 0 || !is_digit_or_letter(line[at - 1])))) quote = c;
    out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::optional<std::string> source_statement(const std::string& file, int number) { return SourceFiles({"."}).statement(file, number); }

}  // namespace heddle::symbols
