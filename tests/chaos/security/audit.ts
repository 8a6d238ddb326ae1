import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Finding } from '../part.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

/** Queries the registry for known vulnerabilities in the installed packages, and in those of the benchmarks. */
export function auditPackages(): Promise<Finding[]> {
  return Promise.all([
    audit('npm audit: Fleetgate', '.', '--omit=dev'),
    audit('npm audit: its tests and tools', '.'),
    audit('npm audit: the measurements', 'bench'),
  ])
}

async function audit(what: string, folder: string, ...options: string[]): Promise<Finding> {
  const report = await npm(join(REPOSITORY, folder), ['audit', '--json', ...options])
  return { what, ...readAudit(report) }
}

/** The finding of `npm audit --json`; output without figures is not an audit. */
export function readAudit(report: string): Omit<Finding, 'what'> {
  const { metadata, error, message, statusCode } = parse(report)
  const count = metadata?.vulnerabilities?.total
  if (typeof count === 'number') {
    return { bar: 'no known weakness', measured: `${count}`, met: count === 0 }
  }
  const why = [statusCode, error?.code, message ?? error?.summary ?? 'npm could not be run']
  const reason = why.filter((part) => part !== undefined && part !== '').join(' ')
  const withoutAddress = reason.replaceAll(/https?:\/\/\S+/g, 'the registry')
  return { bar: '', measured: `left out: ${withoutAddress}`, met: true }
}

type Report = {
  metadata?: { vulnerabilities?: { total?: number } }
  error?: { code?: string; summary?: string }
  message?: string
  statusCode?: number
}

function parse(report: string): Report {
  try {
    return JSON.parse(report)
  } catch {
    return {}
  }
}

/** The standard output of npm, with any exit code: vulnerabilities cause one as well. */
function npm(cwd: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('npm', args, { cwd, timeout: 60_000 }, (_error, stdout) => resolve(stdout))
  })
}
