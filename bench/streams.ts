import { measureStreams } from './measure-streams.ts'
import { report } from './report.ts'

report('Streams on a data folder', await measureStreams())
