import type { Random } from '../../packages/server/src/demo/random.ts'
import type { Finding, Trial } from '../part.ts'

/** What one trial of a disk is given; the folder is its own. */
export type Scene = { trial: Trial; random: Random; folder: string }

export type SceneOf = (scene: Scene) => Promise<Finding[]>
