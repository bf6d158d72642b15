"""Export of finished takes: pages, video, pictures, messages for avatars."""
