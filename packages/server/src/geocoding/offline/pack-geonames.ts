// A worker: reads the data set, posts it packed, and is gone with the memory that it took.
import { parentPort } from 'node:worker_threads'
import { readGeoNames } from './geonames.ts'
import { packPlaces } from './place-index.ts'

const packed = packPlaces(readGeoNames())
const { vectors, coordinates, names, nameEnds, areaOf } = packed
const buffers = [vectors, coordinates, names, nameEnds, areaOf].map((array) => array.buffer)
parentPort!.postMessage(packed, buffers)
