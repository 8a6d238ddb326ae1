import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { Repository } from 'typeorm'
import type { Organization } from '../auth/organization.entity.ts'
import { objectNotFound } from '../refusal.ts'
import { UsageService } from '../usage/usage.service.ts'
import { MonitoredObject } from './monitored-object.entity.ts'
import { type ObjectDetailDto, type ObjectDto, toObjectDetail } from './object.dto.ts'

/** Columns in the form of an answer, so that a long list is streamed without an entity for each row. */
const COLUMNS = [
  'id',
  'name',
  'ident',
  'time_server',
  'time_device',
  'time_last_idle',
  'time_last_move',
  'time_last_stop',
  'engine_hours',
  'engine_hours_type',
  'odometer',
  'odometer_type',
  "json_build_object('vin', vin, 'plate_number', plate_number) AS vehicle_data",
  'mileage',
  'address',
  'accuracy',
  'created_at',
]

@Injectable()
export class ObjectsService {
  constructor(
    @InjectRepository(MonitoredObject) private readonly objects: Repository<MonitoredObject>,
    private readonly usage: UsageService,
  ) {}

  list(organization: Organization): Promise<ObjectDto[]> {
    return this.objects
      .createQueryBuilder('object')
      .select(COLUMNS)
      .where('object.organizationId = :organization', { organization: organization.id })
      .orderBy('object.id')
      .getRawMany()
  }

  async detail(organization: Organization, id: number): Promise<ObjectDetailDto> {
    const object = await this.objects.findOneBy({ id, organizationId: organization.id })
    if (object === null) throw objectNotFound()
    this.usage.count(id)
    return toObjectDetail(object)
  }
}
