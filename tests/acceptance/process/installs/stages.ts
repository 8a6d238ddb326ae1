import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

type Instruction = { word: string; args: string[]; text: string }

/** Copies the checkout as git would, with its uncommitted changes, except files that `keeps` rejects. */
export function copyCheckout(repository: string, keeps: (path: string) => boolean): string {
  const folder = temporaryFolder()
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const names = execFileSync('git', listed, { cwd: repository, encoding: 'utf8' }).split('\0')
  for (const name of names) {
    const there = join(repository, name)
    if (name === '' || !keeps(name) || !statSync(there, { throwIfNoEntry: false })) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    cpSync(there, join(folder, name))
  }
  return folder
}

/**
 * Whether the build context includes a file: decided by the last pattern of a `.dockerignore` that matches the
 * file or one of its folders.
 */
export function dockerKeeps(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return (path) => {
    const parts = path.split('/')
    const above = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
    let isKept = true
    for (const pattern of patterns) {
      const isException = pattern.startsWith('!')
      const glob = isException ? pattern.slice(1) : pattern
      if (above.some((each) => matchesGlob(each, glob))) isKept = isException
    }
    return isKept
  }
}

function instructionsOf(dockerfile: string): Instruction[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((text) => {
      const [word, ...args] = text.split(/\s+/)
      return { word: word!, args, text }
    })
}

/**
 * Runs the stages of a Dockerfile in folders: `COPY` copies, and `run` gets each command with its working
 * directory. Returns the folder of the last stage, which takes the place of `/`.
 */
export function buildStages(
  dockerfile: string,
  context: string,
  run: (command: string, folder: string) => void,
): string {
  const folder = temporaryFolder()
  const stages = new Map<string, string>()
  let root = ''
  let place = '/'
  for (const { word, args, text } of instructionsOf(dockerfile)) {
    if (word === 'FROM') {
      root = join(folder, String(stages.size))
      place = '/'
      stages.set(args[2] ?? '', root)
    } else if (word === 'WORKDIR') {
      place = args[0]!
      mkdirSync(join(root, place), { recursive: true })
    } else if (word === 'RUN') {
      run(text.slice('RUN '.length), join(root, place))
    } else if (word === 'COPY') {
      const from = args[0]!.startsWith('--from=') ? stages.get(args.shift()!.slice(7))! : context
      copy(args.slice(0, -1), from, join(root, place), args.at(-1)!)
    }
  }
  return root
}

/** Copies as `COPY` does: the contents of a folder, or files into a folder if the target ends with a slash. */
function copy(sources: string[], from: string, to: string, target: string): void {
  for (const source of sources) {
    const found = globSync(source.replace(/^\//, '').replace(/\/$/, ''), { cwd: from })
    if (found.length === 0) throw new Error(`COPY ${source}: it is not in the context`)
    for (const name of found) {
      const there = join(from, name)
      const isFolder = statSync(there).isDirectory()
      const here = isFolder || !target.endsWith('/') ? target : join(target, basename(name))
      cpSync(there, join(to, here), { recursive: true })
    }
  }
}
