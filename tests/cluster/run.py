#!/usr/bin/env python3
"""A campaign on a real Slurm: a controller and three nodes on this machine, one of which dies half-way; and a shard on another node is killed alone, which its job script
has queued again. Nothing may be lost, and the bugs are those that the same shards find without any cluster.

usage: run.py --heddle PROGRAM --work DIR [--program PROGRAM] [--shards 8] [--executions N]

The program, if none is given, is rare.c: some shards find its bug, and others do not.
Needs root, slurmctld, slurmd, slurm-client and munge.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
NODES = 3
PATIENCE = 600  # seconds until the campaign must be over

CONF = """ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool-%n
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd-%n.pid
SlurmctldPort=26817
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobRequeue=1
SlurmdTimeout=10
ReturnToService=2
MpiDefault=none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def run(*words, **more):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=1800, **more)


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Cluster:
    def __init__(self, work):
        self.work = work
        self.processes = []

    def start(self, *words):
        process = subprocess.Popen([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.processes.append(process)
        return process

    def up(self):
        host = os.uname().nodename
        nodes = "\n".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={26818 + i} CPUs=1" for i in range(NODES))
        (self.work / "state").mkdir()
        conf = self.work / "slurm.conf"
        conf.write_text(CONF.format(host=host, work=self.work, nodes=nodes))
        os.environ["SLURM_CONF"] = str(conf)
        key = self.work / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.work}/munge.socket", f"--pid-file={self.work}/munge.pid",
                   f"--log-file={self.work}/munge.log", f"--seed-file={self.work}/munge.seed")
        self.until(lambda: (self.work / "munge.socket").exists(), "munge")
        self.start("slurmctld", "-D", "-f", conf, "-L", self.work / "slurmctld.log")
        self.nodes = [self.start("slurmd", "-D", "-f", conf, "-N", f"n{i}", "-L", self.work / f"n{i}.log") for i in range(NODES)]
        self.until(lambda: run("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() == str(NODES), "the nodes")

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"cluster: {what} did not come")
            time.sleep(0.5)

    def kill_node(self, index):
        """As a power cut: the daemon, the shepherd of each job there, and all that they started, which are stopped first, so that none can tell of another's end."""
        jobs, here = [], f"SLURMD_NODENAME=n{index}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and here in (entry / "environ").read_bytes().split(b"\0"):
                    jobs.append(int(entry.name))
            except OSError:
                pass
        shepherds = {parent for parent in map(parent_of, jobs) if command_of(parent).startswith("slurmstepd")}
        mine = [self.nodes[index].pid, *shepherds, *jobs]
        for what in (signal.SIGSTOP, signal.SIGKILL):
            for pid in mine:
                try:
                    os.kill(pid, what)
                except ProcessLookupError:
                    pass

    def kill_shard(self, shard):
        """heddle alone, as the kernel does where memory is short: the job's script goes on. True if it was there."""
        mine = f"SLURM_ARRAY_TASK_ID={shard}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if entry.name.isdigit() and b"--shard" in words and mine in (entry / "environ").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
                    return True
            except OSError:
                pass
        return False

    def down(self):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def facts(document):
    return sorted((t["name"], t["verdict"], t["executions"], sorted(b.rsplit("/", 1)[-1] for b in t.get("bugs", [t["bug"]]))) for t in document["tests"])


def main():
    parser = argparse.ArgumentParser()
    for name in ("heddle", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--executions", type=int, default=600_000)
    options = parser.parse_args()
    heddle, work = options.heddle.resolve(), options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    program = options.program.resolve() if options.program else work / "rare"
    if not options.program:
        subprocess.run(["gcc", "-O1", "-g", "-pthread", str(HERE / "rare.c"), "-o", str(program)], check=True)
    os.chdir(work)
    search = ["--seed", "5", "--executions", str(options.executions), "--strategy", "random"]

    cluster = Cluster(work)
    try:
        cluster.up()
        sent = run(heddle, "submit", "--slurm", "--shards", options.shards, *search, "--", program)
        if sent.returncode != 0:
            sys.exit(f"cluster: {sent.stderr}")
        running = []

        def on_a_node():
            """The shard that began last, so that most of it is still to come."""
            lines = run("squeue", "-h", "-r", "-t", "R", "-o", "%K %N").stdout.splitlines()
            running[:] = max(([int(shard), node] for shard, node in (line.split() for line in lines)), default=[])
            return running

        cluster.until(on_a_node, "a shard on a node")
        shard, node = running
        cluster.kill_node(int(node[1:]))
        if (work / f"heddle-campaign/shard-{shard}/.heddle/shard.json").exists():
            sys.exit("cluster: the shard was done before its node died: ask for more --executions")
        print(f"killed node {node} with shard {shard} on it", flush=True)
        job, killed = run("squeue", "-h", "-o", "%F").stdout.split()[0], []

        def kill_another():
            lines = run("squeue", "-h", "-r", "-t", "R", "-o", "%K %N").stdout.splitlines()
            killed.extend(int(other) for other, where in map(str.split, lines) if where != node and not killed and cluster.kill_shard(other))
            return killed

        cluster.until(kill_another, "a shard to kill")

        def restarts():
            shown = run("scontrol", "show", "job", f"{job}_{killed[0]}").stdout
            return re.search(r"Restarts=([1-9])", shown)

        cluster.until(restarts, "the shard to be queued again")
        print(f"killed shard {killed[0]} alone; Slurm has queued it again", flush=True)

        def over():
            answer = run(heddle, "status", "--json")
            document = json.loads(answer.stdout)
            return document.get("shards", {}).get("missing") == []

        cluster.until(over, "the last shard")
        on_cluster = json.loads(run(heddle, "status", "--json").stdout)
    finally:
        cluster.down()

    for i in range(1, options.shards + 1):
        run(heddle, "find", *search, "--shard", f"{i}/{options.shards}", "--", program, env=dict(os.environ, HEDDLE_STORE=str(work / f"alone-{i}")))
    verdicts = [json.loads((work / f"alone-{i}/.heddle/shard.json").read_text())["tests"][0]["verdict"] for i in range(1, options.shards + 1)]
    print(f"alone, the shards found: {' '.join(verdicts)}")
    if not options.program and len(set(verdicts)) == 1:
        sys.exit("cluster: all shards say the same, which shows little: another number of --executions")
    alone = json.loads(run(heddle, "merge", "--json", *[work / f"alone-{i}" for i in range(1, options.shards + 1)]).stdout)
    if facts(on_cluster) != facts(alone):
        sys.exit(f"cluster: the campaign found {facts(on_cluster)}, one machine {facts(alone)}")
    print(f"{options.shards} shards, none lost, the same as on one machine: {facts(alone)}")


if __name__ == "__main__":
    main()
