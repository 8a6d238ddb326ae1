// A worker that reads the data set and posts it in packed form. Its memory is freed when it ends.
import { parentPort } from 'node:worker_threads'
import { packPlaces, readGeoNames } from './gazetteer-index.ts'

const packed = packPlaces(readGeoNames())
const { vectors, coordinates, names, nameEnds, areaOf } = packed
const buffers = [vectors, coordinates, names, nameEnds, areaOf].map((array) => array.buffer)
parentPort!.postMessage(packed, buffers)
