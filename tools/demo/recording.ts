import { NumberWriter } from '../../packages/server/src/base/domain/common/packed-numbers.ts'
import {
  COLUMNS,
  type RecordedStreet,
  type RecordingHead,
} from '../../packages/server/src/work/simulated/demo/recording.ts'
import { rounded } from '../../packages/server/src/work/simulated/demo/street-place.ts'
import { beginningOf, busyMinutes } from './busy.ts'
import { geofences, ORGANIZATION, routes, settingsOf } from './fleet.ts'
import { SITES } from './places.ts'
import { distance, elevation, toLonLat } from './plane.ts'
import { DRIVERS, recordVehicle } from './record-vehicle.ts'
import { STREETS, type Street } from './streets.ts'
import { REFRIGERATED, VEHICLES } from './vehicles.ts'

/** The recorded week of the demo fleet, as the server reads it once it is decompressed. */
export function demoRecording(): Uint8Array {
  const weeks = VEHICLES.map(recordVehicle)
  const head: RecordingHead = {
    organization: ORGANIZATION,
    geofences: geofences(),
    routes: routes(),
    sites: SITES,
    streets: STREETS.map(recordedStreet),
    drivers: DRIVERS,
    busy: busyMinutes(VEHICLES),
    vehicles: VEHICLES.map((vehicle, i) => ({
      settings: settingsOf(vehicle),
      begins: beginningOf(vehicle),
      rows: weeks[i]!.length,
      isRefrigerated: vehicle.name === REFRIGERATED,
    })),
  }
  const out = new NumberWriter()
  out.text(JSON.stringify(head))
  for (const column of COLUMNS) {
    for (const week of weeks) {
      week.forEach((row, i) => {
        out.signed(row[column] - (week[i - 1]?.[column] ?? 0))
      })
    }
  }
  return out.bytes()
}

function recordedStreet({ name, line, firstNumber, metresPerNumber }: Street): RecordedStreet {
  let at = 0
  const corners = line.map((point, i): RecordedStreet['line'][number] => {
    at += i === 0 ? 0 : distance(line[i - 1]!, point)
    return [...toLonLat(point), rounded(elevation(point), 10), rounded(at, 10)]
  })
  return { name, line: corners, firstNumber, metresPerNumber }
}
