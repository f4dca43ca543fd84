// Package arena is the game manager: it plays matches, series and tournaments between players, in this process or
// behind endpoints. It owns match records and ratings. It does not depend on the search of a player.
package arena
