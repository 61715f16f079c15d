#include "yoke/study/figures/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/temporary_folder.h"
#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

Process start(const std::vector<std::string>& arguments, const Environment& environment, int err) {
  try {
    return Process({.arguments = arguments, .environment = environment, .err = err});
  } catch (const UsageError&) {
    throw Error(
        "graphs are drawn by the program gnuplot, which is not in PATH; install it, on Debian by "
        "apt-get install gnuplot-nox");
  }
}

/// Runs the commands of gnuplot.
void run(const std::string& commands, const Environment& environment) {
  const TemporaryFolder folder;
  const fs::path script = folder.path() / "commands", told = folder.path() / "errors";
  write_file(script, commands);
  const FileDescriptor errors(told, O_WRONLY | O_CREAT);
  Process process = start({"gnuplot", script.string()}, environment, errors.get());
  pollfd ended{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
  while (!process.poll()) ::poll(&ended, 1, -1);
  if (*process.poll() != 0) {
    throw Error(fmt::format("gnuplot ended with {}: {}", *process.poll(), read_file(told)));
  }
}

constexpr const char* kSvgTerminal =
    "set terminal svg noenhanced dynamic size {},{} background rgb 'white' "
    "font 'Helvetica,Arial,sans-serif,13' name 'figure{}'\n";

std::string svg_commands(const Figure& figure, std::size_t number, const fs::path& path) {
  const Size size = size_of(figure);
  return "reset session\nset encoding utf8\n" +
         fmt::format(fmt::runtime(kSvgTerminal), size.width, size.height, number) +
         fmt::format("set output {}\n", gnuplot_text(path.string())) + script(figure) +
         "unset output\n";
}

std::string png_commands(const Figure& figure, const fs::path& path) {
  const Size size = size_of(figure);
  constexpr int kScale = 2;  // sharp in print
  return "reset session\nset encoding utf8\n" +
         fmt::format(
             "set terminal pngcairo noenhanced size {},{} fontscale {} linewidth {} pointscale {} "
             "font 'sans,11'\nset output {}\n",
             kScale * size.width, kScale * size.height, kScale, kScale, kScale,
             gnuplot_text(path.string())) +
         script(figure) + "unset output\n";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// The drawing as a part of a page: without what only a file of its own needs, with names that no
/// other drawing has.
std::string embedded(std::string svg, std::size_t number) {
  svg.erase(0, svg.find("<svg"));
  replace_all(svg, fmt::format("<title>figure{}</title>", number), "");  // browsers show it
  for (const char* const name : {"gpDot", "gpPt", "gpPat", "textbox", "greybox"}) {
    const std::string own = fmt::format("figure{}-{}", number, name);
    for (const char* const before : {"id='", "#"}) {
      replace_all(svg, std::string(before) + name, before + own);
    }
  }
  replace_all(svg, "\"gnuplot_canvas\"", fmt::format("\"figure{}\"", number));
  return svg;
}

std::string text_page(const std::vector<std::string>& lines) {
  constexpr double kLetterSize = 6.4;  // at which the lines of text_pages.h have room
  std::string text =
      "reset\nunset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\n"
      "set margins 0, 0, 0, 0\n";
  double y = 0.95;
  for (const auto& line : lines) {
    text += fmt::format("set label {} at screen 0.06, screen {:.4f} left font 'monospace,{}'\n",
                        gnuplot_text(line), y, kLetterSize);
    y -= 0.0207;
  }
  return text + "plot -1 notitle\n";
}

}  // namespace

std::vector<std::string> draw_svg(const std::vector<Figure>& figures,
                                  const Environment& environment) {
  const TemporaryFolder folder;
  const auto path = [&](std::size_t i) { return folder.path() / fmt::format("{}.svg", i); };
  std::string commands;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    commands += svg_commands(figures[i], i, path(i));
  }
  run(commands, environment);
  std::vector<std::string> drawings;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    drawings.push_back(embedded(read_file(path(i)), i));
  }
  return drawings;
}

void draw_files(const std::vector<Figure>& figures, const std::string& ending,
                const fs::path& folder, const Environment& environment) {
  make_folder(folder);
  std::string commands;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto path = folder / fmt::format("{}.{}", figures[i].name, ending);
    commands +=
        ending == "svg" ? svg_commands(figures[i], i, path) : png_commands(figures[i], path);
  }
  run(commands, environment);
}

void draw_pdf(const std::vector<std::vector<std::string>>& pages,
              const std::vector<Figure>& figures, const fs::path& path,
              const Environment& environment) {
  std::string commands = fmt::format(
      "set encoding utf8\nset terminal pdfcairo noenhanced size 29.7cm,21cm font 'sans,12' "
      "fontscale 1\n"
      "set output {}\n",
      gnuplot_text(path.string()));
  for (const auto& page : pages) commands += text_page(page);
  for (const auto& figure : figures) {
    commands += "reset\nset margins -1, -1, -1, -1\n" + script(figure);
    commands += "undefine $*\n";
  }
  run(commands + "unset output\n", environment);
}

}  // namespace yoke::study
