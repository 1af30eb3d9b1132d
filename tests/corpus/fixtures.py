#!/usr/bin/env python3
"""Makes the corpus inputs under DIR/in and an empty DIR/out: the same bytes on every machine.

usage: fixtures.py DIR
"""
import os
import pathlib
import random
import subprocess
import sys

SEED = 20021
# Small programs and settings for those that need some.
TEXTS = {
    "hello.c": '#include <stdio.h>\n/** Says it. */\nint main(void) { puts("hello"); return 0; }\n',
    "Sum.java": """import java.util.concurrent.*;
public class Sum {
  public static void main(String[] words) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    CompletionService<Long> done = new ExecutorCompletionService<>(pool);
    for (long i = 0; i < 200; i++) { final long n = i; done.submit(() -> n * n); }
    long sum = 0;
    for (int i = 0; i < 200; i++) sum += done.take().get();
    pool.shutdown();
    System.out.println(sum);
  }
}
""",
    "workers.js": """const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
if (isMainThread) {
  let sum = 0, count = 0;
  for (let i = 1; i < 4; i++) new Worker(__filename, {workerData: i}).on('message', m => { sum += m; if (++count == 3) console.log(sum); });
} else {
  let own = 0;
  for (let k = 0; k < 20000; k++) own += k * workerData;
  parentPort.postMessage(own);
}
""",
    "t.pov": """camera { location <0, 1, -4> look_at 0 }
light_source { <5, 9, -6> rgb 1 }
sphere { 0, 1 pigment { rgb <1, 0.4, 0.2> } }
plane { y, -1 pigment { checker rgb 1 rgb 0.2 } }
""",
    "nginx.conf": """user root;
daemon off;
master_process off;
pid HERE/out/nginx.pid;
error_log stderr;
thread_pool default threads=4;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path HERE/out/b;
  proxy_temp_path HERE/out/p;
  fastcgi_temp_path HERE/out/f;
  uwsgi_temp_path HERE/out/u;
  scgi_temp_path HERE/out/s;
  server { listen 127.0.0.1:PORT; root HERE/in; aio threads=default; }
}
""",
    "apache.conf": """ServerRoot HERE/out
ServerName localhost
Listen 127.0.0.1:PORT
User www-data
Group www-data
PidFile HERE/out/apache.pid
DefaultRuntimeDir HERE/out
ErrorLog HERE/out/error.log
DocumentRoot HERE/in
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
StartServers 1
ServerLimit 2
ThreadsPerChild 4
ThreadLimit 4
MaxRequestWorkers 4
MinSpareThreads 1
MaxSpareThreads 4
<Directory "HERE/in">
  Require all granted
</Directory>
""",
}
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


class Text:
    """Endless prose over a fixed vocabulary: compressible, but not trivially so."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.vocabulary = [self.word() for _ in range(3000)]

    def word(self):
        return "".join(self.random.choices(LETTERS, k=self.random.randint(2, 10)))

    def lines(self, size):
        """Whole lines, together at least `size` characters."""
        out, length = [], 0
        while length < size:
            line = " ".join(self.random.choices(self.vocabulary, k=11)) + "\n"
            out.append(line)
            length += len(line)
        return "".join(out)


def write_video(path, width=320, height=240, frames=50):
    """A moving pattern as YUV4MPEG2."""
    with open(path, "wb") as out:
        out.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
        for frame in range(frames):
            luma = bytearray()
            for y in range(height):
                luma += bytes(((x + frame * 5) * (y + 3) // 32 + 2 * y) & 255 for x in range(width))
            chroma = bytes([96 + frame]) * (width * height // 2)
            out.write(b"FRAME\n" + bytes(luma) + chroma)


def write_picture(path, width=320, height=240):
    """A pattern as a binary PPM."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            pixels += bytes(((x * y) // 16 & 255, (x + 2 * y) & 255, (x * 3 ^ y) & 255))
    path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + bytes(pixels))


def write_genome(directory, source, length=20_000, reads=400):
    """A made-up sequence, reads of it with a few changes, and an unsorted alignment of them."""
    genome = "".join(source.choices("ACGT", k=length))
    rows = [genome[at:at + 70] for at in range(0, length, 70)]
    (directory / "t.fa").write_text(">chr\n" + "\n".join(rows) + "\n")
    with open(directory / "reads.fa", "w", encoding="ascii") as fasta, open(directory / "t.sam", "w", encoding="ascii") as sam:
        sam.write(f"@HD\tVN:1.6\n@SQ\tSN:chr\tLN:{length}\n")
        for number in range(reads):
            at = source.randrange(length - 100)
            read = list(genome[at:at + 100])
            read[source.randrange(100)] = source.choice("ACGT")
            fasta.write(f">r{number}\n{''.join(read)}\n")
            sam.write(f"r{number}\t0\tchr\t{at + 1}\t60\t100M\t*\t0\t0\t{''.join(read)}\t*\n")


def write_repository(path, text):
    """A history of five commits over 200 growing files, so that packing has deltas to look for."""
    who = {f"GIT_{role}_{part}": "corpus" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    when = {f"GIT_{role}_DATE": "2002-07-22T12:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    environment = {**os.environ, **who, **when, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments):
        subprocess.run(["git", "-C", str(path), *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)

    path.mkdir()
    git("init", "-q")
    for commit in range(5):
        for number in range(200):
            with open(path / f"file{number}.txt", "a", encoding="ascii") as out:
                out.write(text.lines(400))
        git("add", "-A")
        git("commit", "-q", "-m", f"commit {commit}")


def main():
    root = pathlib.Path(sys.argv[1])
    (root / "out").mkdir(parents=True, exist_ok=True)
    made = root / "in.part"  # renamed when complete: an interrupted run leaves no half-made inputs behind
    subprocess.run(["rm", "-rf", str(made)], check=True)
    (made / "tree").mkdir(parents=True)
    text = Text(SEED)
    (made / "text.txt").write_text(text.lines(6_000_000))
    (made / "small.txt").write_text(text.lines(1_500_000))
    (made / "nums.txt").write_text("".join(f"{text.random.getrandbits(30)}\n" for _ in range(400_000)))
    for number in range(400):
        (made / "tree" / f"f{number}.txt").write_text(text.lines(2000) + "#define name\n" * (number % 5))
    for name, words in TEXTS.items():
        (made / name).write_text(words)
    (made / "page.txt").write_text(text.lines(3000))
    (made / "words.txt").write_text("\n".join(text.vocabulary[:300] + ["password"]) + "\n")
    write_picture(made / "t.ppm")
    write_genome(made, random.Random(SEED))
    write_video(made / "t.y4m")
    write_repository(made / "repo", text)
    made.rename(root / "in")


if __name__ == "__main__":
    main()
