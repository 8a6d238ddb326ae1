import type { Accuracy } from '../api/types.ts'
import { ComboField, NumberField, optionsOf, SelectField } from '../ui/Field.tsx'

const DISTANCE_SOURCES = optionsOf<Accuracy['distance_source']>({
  gps: 'Positions (GPS)',
  odometer: 'The device’s odometer',
})

const METHODS = optionsOf<Accuracy['stop_detection_method']>({
  speed: 'By speed',
  ignition: 'By the ignition',
})

type AccuracyFieldsProps = {
  accuracy: Accuracy
  timeZones: string[]
  onChange: <Name extends keyof Accuracy>(name: Name, value: Accuracy[Name]) => void
}

/** In the words of who manages vehicles, not of who builds receivers. */
export function AccuracyFields({ accuracy, timeZones, onChange }: AccuracyFieldsProps) {
  return (
    <div className="columns">
      <NumberField
        label="Highest HDOP"
        name="maximum_hdop"
        value={accuracy.maximum_hdop}
        onChange={(value) => onChange('maximum_hdop', value ?? 0)}
        help="How blurred a position may be. Below 2 is sharp, 5 is fair, above 10 it can be streets away. Lower it if the track jumps; raise it if positions are missing in narrow streets."
      />
      <NumberField
        label="Least GPS level"
        name="minimum_gps_level"
        value={accuracy.minimum_gps_level}
        onChange={(value) => onChange('minimum_gps_level', value ?? 0)}
        help="How many satellites a position needs, with most devices. 4 make a reliable one; 0 takes all. A packet that does not tell is taken."
      />
      <NumberField
        label="Least distance between positions"
        name="minimum_difference_point"
        value={accuracy.minimum_difference_point}
        onChange={(value) => onChange('minimum_difference_point', value ?? 0)}
        help="In metres: a position nearer to the one before is not shown in history. Raise it if a parked vehicle draws a scribble; 0 shows all."
      />
      <NumberField
        label="Moving from"
        unit="km/h"
        name="minimum_moving_speed"
        value={accuracy.minimum_moving_speed}
        onChange={(value) => onChange('minimum_moving_speed', value ?? 0)}
        help="From this speed on it counts as moving, and the way is added to the odometer. Raise it if a parked vehicle seems to creep; lower it for slow machines."
      />
      <NumberField
        label="Idle above"
        unit="km/h"
        name="idle_speed_threshold"
        value={accuracy.idle_speed_threshold}
        onChange={(value) => onChange('idle_speed_threshold', value ?? 0)}
        help="Where the device does not tell of the ignition: above this speed, and below that of moving, the engine is taken to run."
      />
      <SelectField
        label="Stops are detected"
        name="stop_detection_method"
        options={METHODS}
        value={accuracy.stop_detection_method}
        onChange={(value) => onChange('stop_detection_method', value)}
        help="By speed, waiting at a light may count as a stand. By the ignition, it has stopped only when the engine is off: needs a device that is wired to it."
      />
      <SelectField
        label="Distance comes from"
        name="distance_source"
        options={DISTANCE_SOURCES}
        value={accuracy.distance_source}
        onChange={(value) => onChange('distance_source', value)}
        help="From positions, bends are cut a little. The device’s odometer is exacter, where it sends one."
      />
      <ComboField
        label="Device’s time zone"
        name="device_timezone"
        options={timeZones}
        value={accuracy.device_timezone}
        onChange={(value) => onChange('device_timezone', value)}
        help="For devices that send local times without saying which. Most send UTC. Begin to type a city."
      />
    </div>
  )
}
