import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { postgresBinaries } from '../../packages/server/testing/servers/postgres-binaries.ts'

const VERSION = /\d+(\.\d+)+/

/** Describes the machine of the measurement for readers. */
export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`
  return `${cpus().length} processors (${cpus()[0]?.model}), ${memory}, ${type()} ${release()}`
}

/** Ticks of all processors until now: in total, and stolen by the host of a virtual machine (Linux). */
export type ProcessorTicks = { all: number; stolen: number }

export function processorTicks(): ProcessorTicks | undefined {
  try {
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n', 1) as [string]
    // user, nice, system, idle, iowait, irq, softirq, steal; user includes guest time.
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
    return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7]! }
  } catch {
    return undefined
  }
}

/** Versions of all participants, by name, without programs that are not installed. */
export function versions(): Record<string, string> {
  const found = {
    'Node.js': process.versions.node,
    SQLite: process.versions.sqlite,
    PostgreSQL: versionOf(join(postgresBinaries()[0]?.folder ?? '', 'postgres')),
    Redis: versionOf('redis-server'),
  }
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function versionOf(program: string): string | undefined {
  try {
    return VERSION.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[0]
  } catch {
    return undefined
  }
}
