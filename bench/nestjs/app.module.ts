import { type DynamicModule, Module } from '@nestjs/common'
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core'
import { ThrottlerModule } from '@nestjs/throttler'
import { TypeOrmModule } from '@nestjs/typeorm'
import { ApiKey } from './auth/api-key.entity.ts'
import { ApiKeyGuard } from './auth/api-key.guard.ts'
import { ApiKeyService } from './auth/api-key.service.ts'
import { Organization } from './auth/organization.entity.ts'
import { OrganizationThrottlerGuard } from './auth/organization-throttler.guard.ts'
import { EnvelopeInterceptor } from './envelope.interceptor.ts'
import { MonitoredObject } from './objects/monitored-object.entity.ts'
import { ObjectsController } from './objects/objects.controller.ts'
import { ObjectsService } from './objects/objects.service.ts'
import { Position } from './positions/position.entity.ts'
import { PositionsController } from './positions/positions.controller.ts'
import { PositionsService } from './positions/positions.service.ts'
import { UsageService } from './usage/usage.service.ts'
import { UsageCounter } from './usage/usage-counter.entity.ts'

/** The tables of the entities are in a schema of their own, which exists already. */
const SCHEMA = 'nestjs'
const ENTITIES = [ApiKey, Organization, MonitoredObject, Position, UsageCounter]

@Module({})
class AppModule {}

export function appModule(url: string): DynamicModule {
  return {
    module: AppModule,
    imports: [
      TypeOrmModule.forRoot({
        type: 'postgres',
        url,
        schema: SCHEMA,
        entities: ENTITIES,
        // The first start creates the tables, which are filled afterwards.
        synchronize: true,
      }),
      TypeOrmModule.forFeature(ENTITIES),
      // Without a blocking time, the throttler counts a sliding window.
      ThrottlerModule.forRoot([{ limit: 10, ttl: 10_000, blockDuration: 0 }]),
    ],
    controllers: [ObjectsController, PositionsController],
    providers: [
      ApiKeyService,
      ObjectsService,
      PositionsService,
      UsageService,
      { provide: APP_GUARD, useClass: ApiKeyGuard },
      { provide: APP_GUARD, useClass: OrganizationThrottlerGuard },
      { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    ],
  }
}
