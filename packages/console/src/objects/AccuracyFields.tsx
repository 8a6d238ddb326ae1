import type { ComponentProps } from 'react'
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

/** The settings that are numbers. */
type NumberName = {
  [Name in keyof Accuracy]: Accuracy[Name] extends number | null ? Name : never
}[keyof Accuracy]

type NumberSetting = Pick<
  ComponentProps<typeof NumberField>,
  'label' | 'unit' | 'placeholder' | 'help'
>

/** First those that decide which positions are accepted and shown, then those that decide when the vehicle moves. */
const NUMBERS: (NumberSetting & { name: NumberName })[] = [
  {
    name: 'maximum_hdop',
    label: t('Highest HDOP'),
    help: t(
      'The largest error of a position. Below 2 is precise, 5 is fair, and above 10 it can be streets away. Lower it if the track jumps; raise it if positions are missing in narrow streets.',
    ),
  },
  {
    name: 'maximum_accuracy',
    label: t('Largest inaccuracy'),
    unit: 'm',
    help: t(
      'Phones say how many meters a position may be off. Positions from cell towers are off by kilometers, and a parked phone would seem to drive. A packet without a number is accepted.',
    ),
  },
  {
    name: 'minimum_gps_level',
    label: t('Minimum GPS level'),
    help: t(
      'The satellites that a position needs, as most devices count them. 4 make it reliable. 0 accepts every position. A packet without a number is accepted.',
    ),
  },
  {
    name: 'minimum_difference_point',
    label: t('Minimum distance between positions'),
    help: t(
      'In meters. The history hides a position that is nearer to the one before. Raise it if the track of a parked vehicle is a tangle. 0 shows all.',
    ),
  },
  {
    name: 'minimum_moving_speed',
    label: t('Moving from'),
    unit: 'km/h',
    help: t(
      'At this speed and above the vehicle moves, and the distance counts for the odometer. Raise it if a parked vehicle seems to creep. Lower it for slow machines.',
    ),
  },
  {
    name: 'idle_speed_threshold',
    label: t('Idle above'),
    unit: 'km/h',
    help: t(
      'For devices that do not report the ignition: between this speed and the speed of moving, the engine counts as running.',
    ),
  },
  {
    name: 'maximum_gap',
    label: t('Longest gap within a trip'),
    unit: t('minutes'),
    placeholder: t('As the organization'),
    help: t(
      'After a longer gap between two positions the signal counts as lost: the gap is part of a stop, or a trip of its own if the vehicle has moved. Empty: the setting of the organization.',
    ),
  },
]

type AccuracyFieldsProps = {
  accuracy: Accuracy
  timeZones: string[]
  onChange: <Name extends keyof Accuracy>(name: Name, value: Accuracy[Name]) => void
}

/** In the words of who manages vehicles, not of who builds receivers. */
export function AccuracyFields({ accuracy, timeZones, onChange }: AccuracyFieldsProps) {
  return (
    <div className="columns">
      {NUMBERS.map(({ name, ...words }) => (
        <NumberField
          key={name}
          name={name}
          {...words}
          value={accuracy[name]}
          onChange={(value) => onChange(name, name === 'maximum_gap' ? value : (value ?? 0))}
        />
      ))}
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
