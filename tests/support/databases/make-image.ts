import { imageFile } from '../image.ts';

/** Makes the image of the migrated embedded database unless it is cached. Each test process that finds no image makes its own. */
await imageFile();
