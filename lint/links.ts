/**
 * `npm run lint`: each link of the Markdown pages leads to a file, and to a heading in it, and each path that
 * the pages for contributors name exists, as does each test that any page names. Lists those that do not, and exits with
 * code 1 if there are any.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PAGES = globSync(
  '{*,docs/**/*,tests/acceptance/*,bench/{,notes/}*,examples/*,packages/*/*}.md',
  {
    cwd: ROOT,
  },
)
  .filter((page) => !page.includes('node_modules'))
  .sort()
const LINK = /\]\(([^)\s]+)\)/g
/** Pages whose quoted paths must exist. */
const GUIDES = PAGES.filter((page) =>
  /^(?:CONTRIBUTING|docs\/(?:contributing|design)\/.*)\.md$/.test(page),
)
/** Paths in these pages begin here, or at the root. */
const SOURCE = 'packages/server/src'

const TESTS = globSync('{packages/*/{src,testing},tests}/**/*.test.ts', { cwd: ROOT })

const found = [
  ...PAGES.flatMap(brokenLinksOf),
  ...GUIDES.flatMap(missingPathsOf),
  ...PAGES.flatMap(missingTestsOf),
]
for (const each of found) process.stderr.write(`${each}\n`)
if (found.length > 0) process.exitCode = 1

/** The text without its blocks of code, whose brackets are not links. */
function prose(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```.*?^```/gms, '')
}

function brokenLinksOf(page: string): string[] {
  return Array.from(prose(page).matchAll(LINK), ([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))
    .map((target) => `${page}: ${target} leads nowhere`)
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path))
  if (!existsSync(join(ROOT, file))) return false
  return heading === undefined || headingsOf(file).includes(heading)
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(page: string): string[] {
  const headings = Array.from(prose(page).matchAll(/^#+ (.+)$/gm), ([, heading]) => heading!)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function missingPathsOf(page: string): string[] {
  const quoted = Array.from(prose(page).matchAll(/`(\w[\w.-]*\/[\w@./-]*)`/g), ([, path]) => path!)
  return quoted
    .filter((path) => ![ROOT, join(ROOT, SOURCE)].some((base) => existsSync(join(base, path))))
    .map((path) => `${page}: there is no ${path}`)
}

/** Tests that a page names by the end of their path, which is often the name of the file alone. */
function missingTestsOf(page: string): string[] {
  const quoted = Array.from(prose(page).matchAll(/`([\w./-]+\.test\.ts)`/g), ([, path]) => path!)
  return quoted
    .filter((path) => !TESTS.some((test) => `/${test}`.endsWith(`/${path}`)))
    .map((path) => `${page}: there is no ${path}`)
}
