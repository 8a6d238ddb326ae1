import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Json, REPOSITORY, startProgram } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { baseRoot } from './base-image.ts'
import { outputOf } from './installation.ts'

/** Why no image can be built here; false where one can. */
export const withoutBuilder =
  spawnSync('buildah', ['--version']).status !== 0
    ? 'there is no buildah'
    : process.getuid?.() !== 0 && 'buildah needs root for its chroot isolation'

const IMAGE = 'fleetgate'

/** The part of the image's configuration that an engine runs it by. */
export type Configuration = { Entrypoint: string[]; Cmd: string[]; Healthcheck: { Test: string[] } }

/** An image built by buildah in a storage of its own, and one container of it. */
export type Built = {
  configuration: Configuration
  /** Starts a command in the container, as the image's user, with more variables. */
  start(command: string[], variables?: string[]): ReturnType<typeof startProgram>
}

/** Builds deploy/Dockerfile with its context and its `.dockerignore`, on a stand-in for its base image. */
export function buildImage(): Built {
  const storage = temporaryFolder()
  // It mounts nothing, so that the folder can be deleted by anyone.
  const place = ['--storage-driver', 'vfs']
  const folders = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run')]
  const all = [...place, ...folders]
  const buildah = (...args: string[]) => outputOf('buildah', [...all, ...args], REPOSITORY).trim()

  const base = buildah('from', 'scratch')
  buildah('copy', '--quiet', base, baseRoot(), '/')
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', base)
  buildah('commit', '--quiet', '--rm', base, 'docker.io/library/node:24-slim')

  const how = [
    '--file',
    'deploy/Dockerfile',
    '--pull=never',
    '--isolation',
    'chroot',
    '--network',
    'host',
    '--format',
    'docker',
  ]
  // stdout and stderr hold the output of every step.
  execFileSync('buildah', [...all, 'build', ...how, ...npmFiles(), '--tag', IMAGE, '.'], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { Docker }: Json = JSON.parse(buildah('inspect', '--type', 'image', IMAGE))
  const container = buildah('from', '--pull=never', IMAGE)
  return {
    configuration: Docker.config,
    start(command, variables = []) {
      const env = variables.flatMap((variable) => ['--env', variable])
      const run = ['run', '--isolation', 'chroot', '--network', 'host', ...env, container, '--']
      return startProgram(['buildah', ...all, ...run, ...command])
    },
  }
}

/** The settings and the cache of this machine's npm, for the steps that fetch packages. */
function npmFiles(): string[] {
  const files = [
    [join(homedir(), '.npmrc'), '/root/.npmrc:ro'],
    [join(homedir(), '.npm'), '/root/.npm:rw'],
  ]
  return files
    .filter(([there]) => existsSync(there!))
    .flatMap(([there, here]) => ['--volume', `${there}:${here}`])
}
