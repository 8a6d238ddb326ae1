/** Reads what each test file executed, which V8 wrote with `NODE_V8_COVERAGE` into a folder for each test file. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Range = { startOffset: number; endOffset: number; count: number }
export type Executed = { functionName: string; isBlockCoverage: boolean; ranges: Range[] }[]
type Script = { url: string; functions: Executed }

const SERVER = '/packages/server/src/'

/** Calls with the functions of each source of the server, for each process that a test file had. */
export function eachScript(
  folder: string,
  call: (testFile: string, source: string, functions: Executed) => void,
): void {
  for (const testFile of readdirSync(folder)) {
    for (const name of readdirSync(join(folder, testFile))) {
      for (const { url, functions } of scriptsOf(join(folder, testFile, name))) {
        // The address begins with the place of the checkout, which may be another one by now.
        const [, source] = url.split(SERVER)
        if (source !== undefined) call(testFile, source, functions)
      }
    }
  }
}

/** Whether the statement at `offset` ran. The innermost range says it, and an inner range follows an outer one. */
export function hasRun(functions: Executed, offset: number): boolean {
  let count = 0
  for (const { ranges } of functions) {
    for (const range of ranges) {
      if (range.startOffset <= offset && offset < range.endOffset) count = range.count
    }
  }
  return count > 0
}

/** A process that is killed while it writes leaves half a file. */
function scriptsOf(file: string): Script[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).result
  } catch {
    return []
  }
}
