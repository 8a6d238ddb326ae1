import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../part.ts'
import type { Item, TestName } from './items.ts'
import type { Outcome } from './reporter.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')

/** Whether the file has a test or a group of tests of this name. */
export function isThere({ file, name }: TestName): boolean {
  const path = join(REPOSITORY, file)
  if (!existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return (
    ["'", '"', '`'].some((quote) => source.includes(`(${quote}${name}${quote},`)) ||
    // A long name may be on a line of its own.
    ["'", '"', '`'].some((quote) => source.includes(`\n    ${quote}${name}${quote},`))
  )
}

/** An item is met if its test exists, ran and passed; it is left out if its tool is missing. */
export function judge(item: Item, outcomes: readonly Outcome[]): Finding {
  const { file, name } = item.test
  const own = outcomes.filter((each) => each.file.endsWith(`/${file}`) && each.name === name)
  const skipped = own.find((each) => each.skipped !== null)?.skipped ?? null
  const finding = { what: `${item.id} ${item.name}`, bar: 'its test passes' }
  if (!isThere(item.test)) return { ...finding, measured: 'there is no such test', met: false }
  if (own.length === 0) return { ...finding, measured: 'its test did not run', met: false }
  if (own.some(({ passed }) => !passed)) return { ...finding, measured: 'failed', met: false }
  if (skipped !== null) return { ...finding, bar: '', measured: `left out: ${skipped}`, met: true }
  return { ...finding, measured: 'passed', met: true }
}
