import type { Accuracy } from '../api/types.ts'
import { t } from '../language/text.ts'
import { ComboField, NumberField, optionsOf, SelectField } from '../ui/form/Field.tsx'

const DISTANCE_SOURCES = optionsOf<Accuracy['distance_source']>({
  gps: t('Positions (GPS)'),
  odometer: t('The device’s odometer'),
})

const METHODS = optionsOf<Accuracy['stop_detection_method']>({
  speed: t('By speed'),
  ignition: t('By the ignition'),
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
      <AcceptanceFields accuracy={accuracy} onChange={onChange} />
      <MotionFields accuracy={accuracy} onChange={onChange} />
      <SelectField
        label={t('Distance comes from')}
        name="distance_source"
        options={DISTANCE_SOURCES}
        value={accuracy.distance_source}
        onChange={(value) => onChange('distance_source', value)}
        help={t(
          'Distances between positions cut bends a little. The device’s odometer is more exact, if it sends one.',
        )}
      />
      <ComboField
        label={t('Device’s time zone')}
        name="device_timezone"
        options={timeZones}
        value={accuracy.device_timezone}
        onChange={(value) => onChange('device_timezone', value)}
        help={t(
          'For devices that send local times without an offset. Most send UTC. Type the beginning of a city.',
        )}
      />
    </div>
  )
}

type PartProps = Omit<AccuracyFieldsProps, 'timeZones'>

/** The settings that decide which positions are accepted and shown. */
function AcceptanceFields({ accuracy, onChange }: PartProps) {
  return (
    <>
      <NumberField
        label={t('Highest HDOP')}
        name="maximum_hdop"
        value={accuracy.maximum_hdop}
        onChange={(value) => onChange('maximum_hdop', value ?? 0)}
        help={t(
          'The largest error of a position. Below 2 is precise, 5 is fair, and above 10 it can be streets away. Lower it if the track jumps; raise it if positions are missing in narrow streets.',
        )}
      />
      <NumberField
        label={t('Largest inaccuracy')}
        unit="m"
        name="maximum_accuracy"
        value={accuracy.maximum_accuracy}
        onChange={(value) => onChange('maximum_accuracy', value ?? 0)}
        help={t(
          'Phones say how many meters a position may be off. Positions from cell towers are off by kilometers, and a parked phone would seem to drive. A packet without a number is accepted.',
        )}
      />
      <NumberField
        label={t('Minimum GPS level')}
        name="minimum_gps_level"
        value={accuracy.minimum_gps_level}
        onChange={(value) => onChange('minimum_gps_level', value ?? 0)}
        help={t(
          'The satellites that a position needs, as most devices count them. 4 make it reliable. 0 accepts every position. A packet without a number is accepted.',
        )}
      />
      <NumberField
        label={t('Minimum distance between positions')}
        name="minimum_difference_point"
        value={accuracy.minimum_difference_point}
        onChange={(value) => onChange('minimum_difference_point', value ?? 0)}
        help={t(
          'In meters. The history hides a position that is nearer to the one before. Raise it if the track of a parked vehicle is a tangle. 0 shows all.',
        )}
      />
    </>
  )
}

/** The settings that decide when the vehicle moves. */
function MotionFields({ accuracy, onChange }: PartProps) {
  return (
    <>
      <NumberField
        label={t('Moving from')}
        unit="km/h"
        name="minimum_moving_speed"
        value={accuracy.minimum_moving_speed}
        onChange={(value) => onChange('minimum_moving_speed', value ?? 0)}
        help={t(
          'At this speed and above the vehicle moves, and the distance counts for the odometer. Raise it if a parked vehicle seems to creep. Lower it for slow machines.',
        )}
      />
      <NumberField
        label={t('Idle above')}
        unit="km/h"
        name="idle_speed_threshold"
        value={accuracy.idle_speed_threshold}
        onChange={(value) => onChange('idle_speed_threshold', value ?? 0)}
        help={t(
          'For devices that do not report the ignition: between this speed and the speed of moving, the engine counts as running.',
        )}
      />
      <NumberField
        label={t('Longest gap within a trip')}
        unit={t('minutes')}
        name="maximum_gap"
        placeholder={t('As the organization')}
        value={accuracy.maximum_gap}
        onChange={(value) => onChange('maximum_gap', value)}
        help={t(
          'After a longer gap between two positions the signal counts as lost: the gap is part of a stop, or a trip of its own if the vehicle has moved. Empty: the setting of the organization.',
        )}
      />
      <SelectField
        label={t('Stops are detected')}
        name="stop_detection_method"
        options={METHODS}
        value={accuracy.stop_detection_method}
        onChange={(value) => onChange('stop_detection_method', value)}
        help={t(
          'By speed, a wait at a traffic light may count as a stop. By ignition, the vehicle has stopped only when the engine is off. The device must be wired to the ignition.',
        )}
      />
    </>
  )
}
