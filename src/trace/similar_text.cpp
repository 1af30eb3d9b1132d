#include "trace/similar_text.h"

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::trace {

namespace {

constexpr size_t kMostTokens = 200;    // of a statement; what is longer is compared by its beginning
constexpr double kOtherName = 0.6;     // two names that differ
constexpr double kOtherLiteral = 0.4;  // two numbers or texts that differ

enum class TokenKind : uint8_t { kName, kLiteral, kSign };
struct Token {
  TokenKind kind;
  std::string_view text;
};

bool is_name_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size() && tokens.size() < kMostTokens;) {
    const char c = text[at];
    size_t end = at + 1;
    TokenKind kind = TokenKind::kSign;
    if (is_name_letter(c)) {
      kind = c >= '0' && c <= '9' ? TokenKind::kLiteral : TokenKind::kName;
      while (end < text.size() && is_name_letter(text[end])) ++end;
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::kLiteral;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      end = std::min(text.size(), end + 1);
    }
    if (c != ' ' && c != '\t') tokens.push_back({kind, text.substr(at, end - at)});
    at = end;
  }
  return tokens;
}

double token_likeness(const Token& a, const Token& b) {
  if (a.kind != b.kind) return 0;
  if (a.text == b.text) return 1;
  switch (a.kind) {
    case TokenKind::kName: return kOtherName;
    case TokenKind::kLiteral: return kOtherLiteral;
    case TokenKind::kSign: break;
  }
  return 0;
}

}  // namespace

double similarity(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  const std::vector<Token> x = tokens_of(a);
  const std::vector<Token> y = tokens_of(b);
  if (x.empty() || y.empty()) return x.empty() && y.empty() ? 1 : 0;
  std::vector<double> row(y.size() + 1, 0);
  for (const Token& token : x) {
    double diagonal = 0;
    for (size_t j = 1; j <= y.size(); ++j) {
      const double above = row[j];
      row[j] = std::max({above, row[j - 1], diagonal + token_likeness(token, y[j - 1])});
      diagonal = above;
    }
  }
  return 2 * row.back() / static_cast<double>(x.size() + y.size());
}

}  // namespace heddle::trace
