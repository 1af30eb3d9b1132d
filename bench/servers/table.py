"""The servers that bench/servers.py measures: how each is started in a directory of its own, on which port, and what its load generator is.

Each stays in the foreground, in one process, with several threads. A load is a command that prints a number of requests a second, and fails or
prints a text of FAILED where an answer was wrong.
"""
import pathlib
import subprocess

PAGE = "x" * 4000


def nginx(where, port):
    (where / "www").mkdir()
    (where / "www" / "index.html").write_text(PAGE)
    (where / "nginx.conf").write_text(f"""
daemon off; master_process off; user root; pid {where}/nginx.pid; error_log {where}/error.log; thread_pool default threads=4;
events {{ worker_connections 512; }}
http {{ access_log off; aio threads; sendfile off; keepalive_requests 1000000; server {{ listen 127.0.0.1:{port}; root {where}/www; }} }}
""")
    return ["/usr/sbin/nginx", "-p", str(where), "-c", str(where / "nginx.conf"), "-e", str(where / "error.log")]


def apache(where, port):
    (where / "www").mkdir()
    (where / "www" / "index.html").write_text(PAGE)
    modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in ("mpm_event", "authz_core", "dir", "mime"))
    (where / "httpd.conf").write_text(f"""
ServerRoot {where}
{modules}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {where}/httpd.pid
ErrorLog {where}/error.log
TypesConfig /etc/mime.types
DocumentRoot {where}/www
KeepAlive On
MaxKeepAliveRequests 0
<IfModule mpm_event_module>
StartServers 1
ServerLimit 1
ThreadsPerChild 25
MaxRequestWorkers 25
</IfModule>
""")
    return ["/usr/sbin/apache2", "-X", "-f", str(where / "httpd.conf")]


def memcached(where, port):
    return ["/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "4"]


def redis(where, port):
    return ["/usr/bin/redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(where)]


def mariadb(where, port):
    subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={where}/data", "--user=root", "--auth-root-authentication-method=normal",
                    "--skip-test-db"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return ["/usr/sbin/mariadbd", "--no-defaults", f"--datadir={where}/data", f"--socket={where}/sock", f"--port={port}",
            "--bind-address=127.0.0.1", "--user=root", "--innodb-use-native-aio=0", "--innodb-flush-log-at-trx-commit=0",
            f"--pid-file={where}/pid"]


def haproxy(where, port):
    (where / "page").write_text("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + PAGE)
    (where / "body").write_text(PAGE)
    (where / "haproxy.cfg").write_text(f"""
global
  nbthread 4
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
frontend web
  bind 127.0.0.1:{port}
  http-request return status 200 content-type text/plain file {where}/body
""")
    return ["/usr/sbin/haproxy", "-db", "-f", str(where / "haproxy.cfg")]


def squid(where, port):
    for name in ("cache", "www"):
        (where / name).mkdir()
    (where / "squid.conf").write_text(f"""
http_port 127.0.0.1:{port}
http_access allow all
cache_dir aufs {where}/cache 16 4 4
cache_log {where}/cache.log
access_log none
pid_filename {where}/squid.pid
cache_effective_user proxy
shutdown_lifetime 1 seconds
coredump_dir {where}
pinger_enable off
visible_hostname localhost
""")
    subprocess.run(["chmod", "-R", "a+rwX", str(where)], check=True)
    command = ["/usr/sbin/squid", "-N", "-n", f"bench{port}", "-f", str(where / "squid.conf")]
    subprocess.run([*command, "-z"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return command


def python(where, port):
    (where / "index.html").write_text(PAGE)
    return ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(where), str(port)]


def cache(where, port):
    return [str(where.parent / "cache"), str(port), "4"]


def wrk(where, port, seconds):
    return ["wrk", "-t1", "-c16", f"-d{max(1, int(seconds))}s", "--timeout", "30s", f"http://127.0.0.1:{port}/index.html"]


def ab(where, port, seconds):
    return ["ab", "-q", "-c8", "-t", str(max(1, int(seconds))), "-n", "1000000", f"http://127.0.0.1:{port}/index.html"]


def manager(where, port, seconds):  # squid answers its own pages without another server behind it
    return ["ab", "-q", "-k", "-c8", "-t", str(max(1, int(seconds))), "-n", "1000000", f"http://127.0.0.1:{port}/squid-internal-static/icons/SN.png"]


def redis_benchmark(where, port, seconds):
    return ["redis-benchmark", "-p", str(port), "-c", "16", "-P", "4", "-t", "get", "-n", str(int(seconds * 50000)), "--csv"]


def mysqlslap(where, port, seconds):
    return ["mysqlslap", "--no-defaults", "-uroot", "-h127.0.0.1", f"-P{port}", "--concurrency=8", f"--number-of-queries={int(seconds * 2000)}",
            "--auto-generate-sql", "--auto-generate-sql-load-type=mixed", "--csv"]


def kv_load(where, port, seconds):
    return [str(where.parent / "kv_load"), str(port), "16", str(seconds)]


# What a load generator prints: the number is the first group, and none of FAILED is there.
RATES = {wrk: r"Requests/sec:\s*([\d.]+)", ab: r"Requests per second:\s*([\d.]+)", manager: r"Requests per second:\s*([\d.]+)",
         redis_benchmark: r'"GET","([\d.]+)"', kv_load: r"([\d.]+) requests/s", mysqlslap: r",mixed,([\d.]+)"}
FAILED = [r"Non-2xx", r"Socket errors", r"Failed requests:\s*[1-9]", r"(?i)\berror\b"]

SERVERS = {"nginx": (nginx, wrk), "apache": (apache, wrk), "memcached": (memcached, kv_load), "redis": (redis, redis_benchmark),
           "mariadb": (mariadb, mysqlslap), "haproxy": (haproxy, wrk), "squid": (squid, manager), "python": (python, ab)}
OWN = {"cache": (cache, kv_load)}
