/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of a run.
 */
#include "app/results/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "batched/variant.h" /* batched_seconds */

/* The terminal that Open MPI's mpiexec puts between itself and a rank, wherever it writes to, has no width.  What
 * counts then is the output of mpiexec, the parent of the rank that prints. */
static bool parent_has_terminal(void)
{
  char link[64], target[64] = "";
  snprintf(link, sizeof link, "/proc/%ld/fd/%d", (long)getppid(), STDOUT_FILENO);
  if (readlink(link, target, sizeof target - 1) < 0) return false;
  return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/* Tests whether a bar can be drawn there. */
static bool is_terminal(FILE *to)
{
  const char *term = getenv("TERM");
  struct winsize window = {0};
  if (!isatty(fileno(to)) || (term && strcmp(term, "dumb") == 0)) return false;
  return (ioctl(fileno(to), TIOCGWINSZ, &window) == 0 && window.ws_col > 0) || parent_has_terminal();
}

progress progress_begin(const char *how, bool quiet, FILE *to, int64_t step, double time, double final,
                        int64_t max_steps)
{
  bool silent = quiet || !to || strcmp(how, "none") == 0;
  bool bar = !silent && (strcmp(how, "bar") == 0 || (strcmp(how, "auto") == 0 && is_terminal(to)));
  return (progress){
    .to = silent ? NULL : to,
    .bar = bar,
    .begin = time,
    .final = final,
    .first_step = step,
    .max_steps = max_steps,
    .started = batched_seconds(),
    .drawn = -1,
  };
}

bool progress_wants_line(int64_t step)
{
  return step % (step <= 10 ? 1 : step <= 100 ? 10 : 100) == 0;
}

static void clear_bar(progress *p)
{
  if (p->drawn >= 0) fputs("\r\033[K", p->to);
  p->drawn = -1;
}

/* Fraction of the run that is done: by time or by steps, whichever ends it first. */
static double fraction_done(const progress *p, int64_t step, double time)
{
  double done = p->final > p->begin ? (time - p->begin) / (p->final - p->begin) : 1;
  int64_t steps = p->max_steps - p->first_step;
  double by_steps = p->max_steps >= 0 && steps > 0 ? (double)(step - p->first_step) / (double)steps : 0;
  done = by_steps > done ? by_steps : done;
  return done < 0 ? 0 : done > 1 ? 1 : done;
}

/* "01:02:03", if the rest goes on as until now. */
static void format_left(char *text, size_t size, double done, double seconds)
{
  double rest = done > 0 ? seconds * (1 - done) / done : 1e9;
  long long s = rest < 3.5e6 ? (long long)(rest + 0.5) : -1; /* up to 999 hours */
  snprintf(text, size, "--:--:--");
  if (s >= 0) snprintf(text, size, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

void progress_print_line(progress *p, const progress_line *line)
{
  if (!p->to) return;
  clear_bar(p);
  char left[32];
  format_left(left, sizeof left, fraction_done(p, line->step, line->time), batched_seconds() - p->started);
  if (!p->head) fprintf(p->to, "%8s  %14s  %14s  %22s  %6s  %9s\n", "step", "t", "dt", "|e|", "CG", "left");
  p->head = true;
  fprintf(p->to, "%8lld  %14.8g  %14.8g  %22.15e  %6lld  %9s\n", (long long)line->step, line->time, line->dt,
          line->norm_e, (long long)line->iterations, left);
  fflush(p->to);
}

void progress_format_bar(char *text, size_t size, double done, double seconds)
{
  enum { WIDTH = 40 };
  char left[32], bar[WIDTH + 1];
  int full = (int)(done * WIDTH);
  for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = '\0';
  format_left(left, sizeof left, done, seconds);
  snprintf(text, size, "[%s] %3d %%  %s left", bar, (int)(100 * done), left);
}

void progress_draw(progress *p, int64_t step, double time)
{
  if (!p->to || !p->bar) return;
  double now = batched_seconds();
  if (p->drawn >= 0 && now - p->drawn < 0.1) return;
  char text[96];
  progress_format_bar(text, sizeof text, fraction_done(p, step, time), now - p->started);
  fprintf(p->to, "\r%s\033[K", text);
  fflush(p->to);
  p->drawn = now;
}

void progress_end(progress *p)
{
  if (!p->to) return;
  clear_bar(p);
  fflush(p->to);
}
