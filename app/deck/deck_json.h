/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck as a JSON object.
 */
#ifndef APP_DECK_JSON_H
#define APP_DECK_JSON_H

#include "app/deck/deck.h"
#include "app/files/json.h"

/* Every key of the deck, nested in its sections. */
void deck_write_json(const deck *d, json *j, const char *key);

#endif
