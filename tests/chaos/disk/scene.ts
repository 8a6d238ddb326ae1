import type { Random } from '../../../packages/server/testing/random.ts'
import type { Finding, Trial } from '../part.ts'

/** The input of one disk trial, with a folder of its own. */
export type Scene = { trial: Trial; random: Random; folder: string }

export type SceneOf = (scene: Scene) => Promise<Finding[]>
