// Generated from the migrated database by `npm run database:files`. Do not edit.

export type Json = string | number | boolean | null | { readonly [key: string]: Json | undefined } | readonly Json[];

export type Database = {
  public: {
    Tables: {
      audit_logs: {
        Row: {
          action: string;
          actor: string | null;
          created_at: string;
          details: Json;
          id: string;
          resource_id: string | null;
          resource_type: string;
        };
        Insert: {
          action: string;
          actor?: string | null;
          created_at?: string;
          details?: Json;
          id?: string;
          resource_id?: string | null;
          resource_type: string;
        };
        Update: {
          action?: string;
          actor?: string | null;
          created_at?: string;
          details?: Json;
          id?: string;
          resource_id?: string | null;
          resource_type?: string;
        };
        Relationships: [];
      };
      booking_access_codes: {
        Row: {
          attempt: number;
          booking_id: string;
          created_at: string;
          ends_at: string;
          id: string;
          issued_at: string | null;
          mode: 'bridge' | 'hourly' | 'onetime';
          release_at: string;
          revoked_at: string | null;
          seen_at: string | null;
          starts_at: string;
          status: 'requested' | 'issued' | 'revoke_pending' | 'revoked' | 'failed';
          used_at: string | null;
        };
        Insert: {
          attempt: number;
          booking_id: string;
          created_at?: string;
          ends_at: string;
          id?: string;
          issued_at?: string | null;
          mode: string;
          release_at: string;
          revoked_at?: string | null;
          seen_at?: string | null;
          starts_at: string;
          status?: string;
          used_at?: string | null;
        };
        Update: {
          attempt?: number;
          booking_id?: string;
          created_at?: string;
          ends_at?: string;
          id?: string;
          issued_at?: string | null;
          mode?: string;
          release_at?: string;
          revoked_at?: string | null;
          seen_at?: string | null;
          starts_at?: string;
          status?: string;
          used_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'booking_access_codes_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      booking_drafts: {
        Row: {
          data: Json;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          data: Json;
          updated_at?: string;
          user_id?: string;
        };
        Update: {
          data?: Json;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      business_settings: {
        Row: {
          created_at: string;
          created_by: string | null;
          settings: Json;
          version: number;
        };
        Insert: {
          created_at?: string;
          created_by?: string | null;
          settings: Json;
          version?: never;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          settings?: Json;
          version?: never;
        };
        Relationships: [];
      };
      discount_codes: {
        Row: {
          active: boolean;
          code: string;
          created_at: string;
          current_uses: number;
          customer_email: string | null;
          description: string | null;
          discount_type: 'percentage' | 'fixed';
          discount_value: number;
          expires_at: string | null;
          from_hour: number | null;
          gift_batch_id: string | null;
          id: string;
          max_uses: number | null;
          min_hours: number | null;
          per_user_limit: number | null;
          until_hour: number | null;
          updated_at: string;
          valid_from: string | null;
          weekdays: number[] | null;
          works_when: string | null;
        };
        Insert: {
          active?: boolean;
          code: string;
          created_at?: string;
          current_uses?: number;
          customer_email?: string | null;
          description?: string | null;
          discount_type: string;
          discount_value: number;
          expires_at?: string | null;
          from_hour?: number | null;
          gift_batch_id?: string | null;
          id?: string;
          max_uses?: number | null;
          min_hours?: number | null;
          per_user_limit?: number | null;
          until_hour?: number | null;
          updated_at?: string;
          valid_from?: string | null;
          weekdays?: number[] | null;
          works_when?: string | null;
        };
        Update: {
          active?: boolean;
          code?: string;
          created_at?: string;
          current_uses?: number;
          customer_email?: string | null;
          description?: string | null;
          discount_type?: string;
          discount_value?: number;
          expires_at?: string | null;
          from_hour?: number | null;
          gift_batch_id?: string | null;
          id?: string;
          max_uses?: number | null;
          min_hours?: number | null;
          per_user_limit?: number | null;
          until_hour?: number | null;
          updated_at?: string;
          valid_from?: string | null;
          weekdays?: number[] | null;
          works_when?: string | null;
        };
        Relationships: [];
      };
      id_verifications: {
        Row: {
          age_at_verification: number | null;
          ai_confidence_score: number | null;
          ai_raw_response: Json | null;
          created_at: string;
          dob_matches: boolean | null;
          expires_at: string | null;
          extracted_dob: string | null;
          extracted_expiry_date: string | null;
          extracted_first_name: string | null;
          extracted_full_name: string | null;
          extracted_last_name: string | null;
          extracted_middle_name: string | null;
          failure_reasons: string[];
          id: string;
          image_path: string | null;
          is_expired: boolean | null;
          is_nsw_license: boolean | null;
          is_over_18: boolean | null;
          name_match_details: string | null;
          name_match_status: string | null;
          profile_dob: string | null;
          source: 'photo' | 'hosted' | 'staff';
          user_id: string;
          verification_status: 'verified' | 'review' | 'failed' | 'superseded';
          verified_at: string | null;
        };
        Insert: {
          age_at_verification?: number | null;
          ai_confidence_score?: number | null;
          ai_raw_response?: Json | null;
          created_at?: string;
          dob_matches?: boolean | null;
          expires_at?: string | null;
          extracted_dob?: string | null;
          extracted_expiry_date?: string | null;
          extracted_first_name?: string | null;
          extracted_full_name?: string | null;
          extracted_last_name?: string | null;
          extracted_middle_name?: string | null;
          failure_reasons?: string[];
          id?: string;
          image_path?: string | null;
          is_expired?: boolean | null;
          is_nsw_license?: boolean | null;
          is_over_18?: boolean | null;
          name_match_details?: string | null;
          name_match_status?: string | null;
          profile_dob?: string | null;
          source: string;
          user_id: string;
          verification_status: string;
          verified_at?: string | null;
        };
        Update: {
          age_at_verification?: number | null;
          ai_confidence_score?: number | null;
          ai_raw_response?: Json | null;
          created_at?: string;
          dob_matches?: boolean | null;
          expires_at?: string | null;
          extracted_dob?: string | null;
          extracted_expiry_date?: string | null;
          extracted_first_name?: string | null;
          extracted_full_name?: string | null;
          extracted_last_name?: string | null;
          extracted_middle_name?: string | null;
          failure_reasons?: string[];
          id?: string;
          image_path?: string | null;
          is_expired?: boolean | null;
          is_nsw_license?: boolean | null;
          is_over_18?: boolean | null;
          name_match_details?: string | null;
          name_match_status?: string | null;
          profile_dob?: string | null;
          source?: string;
          user_id?: string;
          verification_status?: string;
          verified_at?: string | null;
        };
        Relationships: [];
      };
      mailing_list: {
        Row: {
          bounce_reason: string | null;
          bounced_at: string | null;
          consented_at: string;
          created_at: string;
          email: string;
          id: string;
          unsubscribed_at: string | null;
        };
        Insert: {
          bounce_reason?: string | null;
          bounced_at?: string | null;
          consented_at?: string;
          created_at?: string;
          email: string;
          id?: string;
          unsubscribed_at?: string | null;
        };
        Update: {
          bounce_reason?: string | null;
          bounced_at?: string | null;
          consented_at?: string;
          created_at?: string;
          email?: string;
          id?: string;
          unsubscribed_at?: string | null;
        };
        Relationships: [];
      };
      price_lists: {
        Row: {
          created_at: string;
          hour_cents: number[];
          id: string;
          studio_id: string;
          valid_from: string;
          volume_percents: number[];
        };
        Insert: {
          created_at?: string;
          hour_cents: number[];
          id?: string;
          studio_id: string;
          valid_from: string;
          volume_percents: number[];
        };
        Update: {
          created_at?: string;
          hour_cents?: number[];
          id?: string;
          studio_id?: string;
          valid_from?: string;
          volume_percents?: number[];
        };
        Relationships: [
          {
            foreignKeyName: 'price_lists_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      profiles: {
        Row: {
          address: string | null;
          created_at: string;
          date_of_birth: string | null;
          dj_name: string | null;
          email: string | null;
          full_name: string | null;
          id: string;
          phone: string | null;
          remind_by_email: boolean;
          remind_by_text: boolean;
          thank_by_email: boolean;
          updated_at: string;
          user_id: string;
        };
        Insert: {
          address?: string | null;
          created_at?: string;
          date_of_birth?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          id: string;
          phone?: string | null;
          remind_by_email?: boolean;
          remind_by_text?: boolean;
          thank_by_email?: boolean;
          updated_at?: string;
          user_id: string;
        };
        Update: {
          address?: string | null;
          created_at?: string;
          date_of_birth?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          id?: string;
          phone?: string | null;
          remind_by_email?: boolean;
          remind_by_text?: boolean;
          thank_by_email?: boolean;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      scheduled_emails: {
        Row: {
          booking_id: string;
          created_at: string;
          email_type: 'access_code';
          id: string;
          recipient_email: string;
          scheduled_for: string;
          sent_at: string | null;
          status: 'pending' | 'pending_immediate' | 'sent' | 'cancelled';
        };
        Insert: {
          booking_id: string;
          created_at?: string;
          email_type: string;
          id?: string;
          recipient_email: string;
          scheduled_for: string;
          sent_at?: string | null;
          status: string;
        };
        Update: {
          booking_id?: string;
          created_at?: string;
          email_type?: string;
          id?: string;
          recipient_email?: string;
          scheduled_for?: string;
          sent_at?: string | null;
          status?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'scheduled_emails_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      special_days: {
        Row: {
          created_at: string;
          first_day: string;
          hour_cents: number[];
          id: string;
          last_day: string;
          name: string;
          studio_id: string;
        };
        Insert: {
          created_at?: string;
          first_day: string;
          hour_cents: number[];
          id?: string;
          last_day: string;
          name: string;
          studio_id: string;
        };
        Update: {
          created_at?: string;
          first_day?: string;
          hour_cents?: number[];
          id?: string;
          last_day?: string;
          name?: string;
          studio_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'special_days_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      staff_permissions: {
        Row: {
          created_at: string;
          permission: 'bookings' | 'identity' | 'money' | 'settings' | 'owner';
          user_id: string;
        };
        Insert: {
          created_at?: string;
          permission: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          permission?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'staff_permissions_user_id_fkey';
            columns: ['user_id'];
            isOneToOne: false;
            referencedRelation: 'user_roles';
            referencedColumns: ['user_id'];
          },
        ];
      };
      studios: {
        Row: {
          active: boolean;
          created_at: string;
          description: string;
          features: string[];
          hourly_rate: number;
          id: string;
          name: string;
          open_hours: boolean[];
          opened_at: string | null;
          photos: string[];
          sort_order: number;
          summary: string;
          title: string;
        };
        Insert: {
          active?: boolean;
          created_at?: string;
          description?: string;
          features?: string[];
          hourly_rate: number;
          id?: string;
          name: string;
          open_hours?: boolean[];
          opened_at?: string | null;
          photos?: string[];
          sort_order?: number;
          summary?: string;
          title?: string;
        };
        Update: {
          active?: boolean;
          created_at?: string;
          description?: string;
          features?: string[];
          hourly_rate?: number;
          id?: string;
          name?: string;
          open_hours?: boolean[];
          opened_at?: string | null;
          photos?: string[];
          sort_order?: number;
          summary?: string;
          title?: string;
        };
        Relationships: [];
      };
      terms_acceptances: {
        Row: {
          accepted_at: string;
          user_id: string;
          version: string;
        };
        Insert: {
          accepted_at?: string;
          user_id: string;
          version: string;
        };
        Update: {
          accepted_at?: string;
          user_id?: string;
          version?: string;
        };
        Relationships: [];
      };
      user_roles: {
        Row: {
          created_at: string;
          role: 'admin' | 'user';
          user_id: string;
        };
        Insert: {
          created_at?: string;
          role: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          role?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      waitlist_entries: {
        Row: {
          claim_until: string | null;
          created_at: string;
          end_time: string;
          id: string;
          place: number;
          start_time: string;
          state: 'waiting' | 'asked' | 'used' | 'passed' | 'left' | 'told';
          studio_id: string;
          user_id: string;
        };
        Insert: {
          claim_until?: string | null;
          created_at: string;
          end_time: string;
          id?: string;
          place?: never;
          start_time: string;
          state?: string;
          studio_id: string;
          user_id: string;
        };
        Update: {
          claim_until?: string | null;
          created_at?: string;
          end_time?: string;
          id?: string;
          place?: never;
          start_time?: string;
          state?: string;
          studio_id?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: 'waitlist_entries_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
    };
    Views: {
      booking_payments: {
        Row: {
          amount: number | null;
          booking_id: string | null;
          created_at: string | null;
          refunded: number | null;
          state: 'intent' | 'open' | 'processing' | 'failed' | 'expired' | 'paid' | 'refund_pending' | 'refunded' | 'refund_failed' | 'refund_manual' | 'disputed' | 'dispute_lost' | null;
          updated_at: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'payment_booking_id_fkey';
            columns: ['booking_id'];
            isOneToOne: false;
            referencedRelation: 'bookings';
            referencedColumns: ['id'];
          },
        ];
      };
      bookings: {
        Row: {
          base_cost: number | null;
          cancel_reason: 'hold_expired' | 'abandoned' | 'customer' | 'staff' | 'payment_failed' | 'slot_lost' | 'amount_mismatch' | 'replaced' | 'test_over' | null;
          cancelled_at: string | null;
          confirmed_at: string | null;
          contact_phone: string | null;
          coupon_discount: number | null;
          created_at: string | null;
          discount_amount: number | null;
          end_time: string | null;
          final_cost: number | null;
          guest_email: string | null;
          guest_name: string | null;
          hold_expires_at: string | null;
          id: string | null;
          id_verification_id: string | null;
          notes: string | null;
          reference: string | null;
          slots: Json | null;
          start_time: string | null;
          status: 'pending' | 'confirmed' | 'cancelled' | null;
          studio_id: string | null;
          studio_name: string | null;
          total_hours: number | null;
          user_id: string | null;
        };
        Insert: {
          base_cost?: number | null;
          cancel_reason?: string | null;
          cancelled_at?: string | null;
          confirmed_at?: string | null;
          contact_phone?: string | null;
          coupon_discount?: number | null;
          created_at?: string | null;
          discount_amount?: number | null;
          end_time?: string | null;
          final_cost?: number | null;
          guest_email?: string | null;
          guest_name?: string | null;
          hold_expires_at?: string | null;
          id?: string | null;
          id_verification_id?: string | null;
          notes?: string | null;
          reference?: string | null;
          slots?: Json | null;
          start_time?: string | null;
          status?: string | null;
          studio_id?: string | null;
          studio_name?: string | null;
          total_hours?: number | null;
          user_id?: string | null;
        };
        Update: {
          base_cost?: number | null;
          cancel_reason?: string | null;
          cancelled_at?: string | null;
          confirmed_at?: string | null;
          contact_phone?: string | null;
          coupon_discount?: number | null;
          created_at?: string | null;
          discount_amount?: number | null;
          end_time?: string | null;
          final_cost?: number | null;
          guest_email?: string | null;
          guest_name?: string | null;
          hold_expires_at?: string | null;
          id?: string | null;
          id_verification_id?: string | null;
          notes?: string | null;
          reference?: string | null;
          slots?: Json | null;
          start_time?: string | null;
          status?: string | null;
          studio_id?: string | null;
          studio_name?: string | null;
          total_hours?: number | null;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: 'booking_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      closed_hours: {
        Row: {
          closure_id: string | null;
          end_time: string | null;
          endless: boolean | null;
          public: boolean | null;
          reason: string | null;
          start_time: string | null;
          studio_id: string | null;
          weeks: number | null;
        };
        Relationships: [
          {
            foreignKeyName: 'closed_span_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      current_price_lists: {
        Row: {
          hour_cents: number[] | null;
          studio_id: string | null;
          valid_from: string | null;
          volume_percents: number[] | null;
        };
        Insert: {
          hour_cents?: number[] | null;
          studio_id?: string | null;
          valid_from?: string | null;
          volume_percents?: number[] | null;
        };
        Update: {
          hour_cents?: number[] | null;
          studio_id?: string | null;
          valid_from?: string | null;
          volume_percents?: number[] | null;
        };
        Relationships: [
          {
            foreignKeyName: 'price_lists_studio_id_fkey';
            columns: ['studio_id'];
            isOneToOne: false;
            referencedRelation: 'studios';
            referencedColumns: ['id'];
          },
        ];
      };
      customer_contacts: {
        Row: {
          created_at: string | null;
          dj_name: string | null;
          email: string | null;
          full_name: string | null;
          phone: string | null;
          user_id: string | null;
        };
        Insert: {
          created_at?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          phone?: string | null;
          user_id?: string | null;
        };
        Update: {
          created_at?: string | null;
          dj_name?: string | null;
          email?: string | null;
          full_name?: string | null;
          phone?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      customer_identities: {
        Row: {
          address: string | null;
          date_of_birth: string | null;
          full_name: string | null;
          user_id: string | null;
        };
        Insert: {
          address?: string | null;
          date_of_birth?: string | null;
          full_name?: string | null;
          user_id?: string | null;
        };
        Update: {
          address?: string | null;
          date_of_birth?: string | null;
          full_name?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      staff_names: {
        Row: {
          full_name: string | null;
          user_id: string | null;
        };
        Insert: {
          full_name?: string | null;
          user_id?: string | null;
        };
        Update: {
          full_name?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      user_verifications: {
        Row: {
          id: string | null;
          user_id: string | null;
        };
        Relationships: [];
      };
    };
    Functions: {
      add_booking_note: {
        Args: {
          note_id: string;
          booking: string;
          note: string;
        };
        Returns: boolean;
      };
      add_customer_note: {
        Args: {
          note_id: string;
          customer: string;
          note: string;
        };
        Returns: boolean;
      };
      booking_crew: {
        Args: {
          bookings: string[];
        };
        Returns: {
          id: string | null;
          booking_id: string | null;
          state: string | null;
          name: string | null;
          invited_at: string | null;
          joined_at: string | null;
          revoked_at: string | null;
          saw_shared_code: boolean | null;
        }[];
      };
      booking_details: {
        Args: {
          reference: string;
        };
        Returns: Json;
      };
      bookings_of_day: {
        Args: {
          day: string;
        };
        Returns: {
          id: string | null;
          reference: string | null;
          user_id: string | null;
          studio_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          is_test: boolean | null;
          customer_name: string | null;
          customer_email: string | null;
          phone: string | null;
          code_due_at: string | null;
          code_requested_at: string | null;
          code_accepted_at: string | null;
          code_mailed_at: string | null;
          code_seen_at: string | null;
          code_used_at: string | null;
        }[];
      };
      business_numbers: {
        Args: {
          first_day: string;
          last_day: string;
          studio?: string;
        };
        Returns: Json;
      };
      calendar_feeds: {
        Args: never;
        Returns: {
          studio_id: string | null;
          created_at: string | null;
        }[];
      };
      campaigns: {
        Args: {
          most?: number;
        };
        Returns: {
          id: string | null;
          subject: string | null;
          body: string | null;
          made_by: string | null;
          created_at: string | null;
          per_minute: number | null;
          recipients: number | null;
          sent: number | null;
          bounced: number | null;
          skipped: number | null;
          stopped_at: string | null;
          finished_at: string | null;
        }[];
      };
      close_job: {
        Args: {
          job: string;
          reason: string;
        };
        Returns: boolean;
      };
      customer_messages: {
        Args: {
          customer: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          kind: string | null;
          subject: string | null;
          body: string | null;
          reference: string | null;
          made_by: string | null;
          at: string | null;
          sent_at: string | null;
          problem: string | null;
          closed: boolean | null;
        }[];
      };
      customer_notes: {
        Args: {
          customer: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          note: string | null;
          made_by: string | null;
          created_at: string | null;
        }[];
      };
      developer_pages_open: {
        Args: never;
        Returns: boolean;
      };
      discount_code_results: {
        Args: {
          codes: string[];
        };
        Returns: {
          coupon_id: string | null;
          bookings: number | null;
          sold: number | null;
          discount: number | null;
        }[];
      };
      free_hours: {
        Args: {
          first_day: string;
          days: number;
          studio?: string;
        };
        Returns: {
          day: string | null;
          hours: number | null;
          free: number | null;
        }[];
      };
      gift_batches: {
        Args: {
          most?: number;
        };
        Returns: {
          id: string | null;
          prefix: string | null;
          created_at: string | null;
          discount_type: string | null;
          discount_value: number | null;
          description: string | null;
          valid_from: string | null;
          expires_at: string | null;
          works_when: string | null;
          codes: number | null;
          used: number | null;
          active: number | null;
          sold: number | null;
          discount: number | null;
        }[];
      };
      has_permission: {
        Args: {
          permission: string;
        };
        Returns: boolean;
      };
      is_staff: {
        Args: never;
        Returns: boolean;
      };
      keep_blocked_booking: {
        Args: {
          booking: string;
        };
        Returns: boolean;
      };
      lacks_second_factor: {
        Args: {
          permission: string;
        };
        Returns: boolean;
      };
      leave_mailing_list: {
        Args: {
          subscription: string;
        };
        Returns: undefined;
      };
      ledger_check: {
        Args: {
          month: string;
        };
        Returns: Json;
      };
      mailing_list_counts: {
        Args: never;
        Returns: {
          subscribed: number | null;
          gone: number | null;
          bounced: number | null;
        }[];
      };
      make_gift_codes: {
        Args: {
          batch: string;
          amount: number;
          prefix: string;
          terms: Json;
        };
        Returns: number;
      };
      mark_no_show: {
        Args: {
          booking: string;
          missed: boolean;
        };
        Returns: boolean;
      };
      may_add_report_photo: {
        Args: never;
        Returns: boolean;
      };
      newest_bookings: {
        Args: {
          most?: number;
        };
        Returns: Database['public']['Views']['bookings']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'bookings';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      order_of_booking: {
        Args: {
          reference: string;
        };
        Returns: {
          place: number | null;
          size: number | null;
          booking_id: string | null;
          booking_reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          cents: number | null;
        }[];
      };
      own_booking: {
        Args: {
          booking: string;
        };
        Returns: Json;
      };
      own_bookings: {
        Args: never;
        Returns: {
          id: string | null;
          reference: string | null;
          studio_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          cancel_reason: string | null;
          hold_expires_at: string | null;
          total_hours: number | null;
          final_cost: number | null;
          coupon_code: string | null;
          coupon_type: string | null;
          coupon_value: number | null;
          free_cancel_hours: number | null;
          created_at: string | null;
          base_cost: number | null;
          volume_discount: number | null;
          slots: Json | null;
          order_id: string | null;
          order_place: number | null;
          order_size: number | null;
          terms_start: string | null;
        }[];
      };
      own_feedback: {
        Args: {
          booking: string;
        };
        Returns: Json;
      };
      remove_from_mailing_list: {
        Args: {
          address: string;
        };
        Returns: boolean;
      };
      retry_job: {
        Args: {
          job: string;
        };
        Returns: boolean;
      };
      search_audit_logs: {
        Args: {
          words?: string;
          before_at?: string;
          before_id?: string;
        };
        Returns: Database['public']['Tables']['audit_logs']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'audit_logs';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      search_customers: {
        Args: {
          words?: string;
          most?: number;
        };
        Returns: {
          user_id: string | null;
          full_name: string | null;
          email: string | null;
          phone: string | null;
          created_at: string | null;
          verified_until: string | null;
          bookings: number | null;
          paid: number | null;
          refunded: number | null;
          block_reason: string | null;
          blocked_until: string | null;
        }[];
      };
      search_guest_bookings: {
        Args: {
          words: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          status: string | null;
          final_cost: number | null;
          guest_name: string | null;
          guest_email: string | null;
          contact_phone: string | null;
        }[];
      };
      search_mailing_list: {
        Args: {
          words?: string;
          most?: number;
        };
        Returns: {
          email: string | null;
          joined_at: string | null;
          left_at: string | null;
          bounced_at: string | null;
          bounce_reason: string | null;
        }[];
      };
      second_factor_rules: {
        Args: never;
        Returns: Json;
      };
      send_mail_again: {
        Args: {
          booking: string;
          mail: string;
        };
        Returns: boolean;
      };
      set_gift_batch_active: {
        Args: {
          batch: string;
          active: boolean;
        };
        Returns: number;
      };
      site_settings: {
        Args: never;
        Returns: Json;
      };
      site_texts: {
        Args: never;
        Returns: Json;
      };
      staff_alerts: {
        Args: {
          at?: string;
          most?: number;
        };
        Returns: {
          kind: string | null;
          since: string | null;
          due: string | null;
          job_id: string | null;
          job_kind: string | null;
          tries: number | null;
          problem: string | null;
          booking_id: string | null;
          reference: string | null;
          studio_name: string | null;
          start_time: string | null;
          customer_name: string | null;
        }[];
      };
      staff_calendar: {
        Args: {
          first_day: string;
          days?: number;
          studio?: string;
        };
        Returns: {
          kind: string | null;
          id: string | null;
          studio_id: string | null;
          start_time: string | null;
          end_time: string | null;
          reference: string | null;
          customer_name: string | null;
          customer_email: string | null;
          is_test: boolean | null;
          final_cost: number | null;
          reason: string | null;
          public: boolean | null;
          weeks: number | null;
        }[];
      };
      staff_ratings: {
        Args: {
          at?: string;
          most?: number;
        };
        Returns: Json;
      };
      staff_rights: {
        Args: never;
        Returns: string[];
      };
      staff_rooms: {
        Args: never;
        Returns: {
          id: string | null;
          room: Json | null;
          upcoming: number | null;
          opened: boolean | null;
        }[];
      };
      staff_team: {
        Args: {
          at?: string;
        };
        Returns: Json;
      };
      upcoming_bookings: {
        Args: {
          ends_after?: string;
          most?: number;
        };
        Returns: Database['public']['Views']['bookings']['Row'][];
        SetofOptions: {
          from: '*';
          to: 'bookings';
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      validate_discount_code: {
        Args: {
          code_input: string;
          booking_hours: number;
          booking_start?: string;
          booking_end?: string;
        };
        Returns: {
          id: string | null;
          code: string | null;
          discount_type: string | null;
          discount_value: number | null;
          min_hours: number | null;
          expires_at: string | null;
          max_uses: number | null;
          current_uses: number | null;
          is_valid: boolean | null;
          error_message: string | null;
          weekdays: number[] | null;
          from_hour: number | null;
          until_hour: number | null;
          works_when: string | null;
        }[];
      };
      waiting_moves: {
        Args: never;
        Returns: {
          booking_id: string | null;
          studio_name: string | null;
          start_time: string | null;
          end_time: string | null;
          cents: number | null;
          until: string | null;
        }[];
      };
      waiting_reviews: {
        Args: {
          ends_after?: string;
          most?: number;
        };
        Returns: {
          id: string | null;
          user_id: string | null;
          created_at: string | null;
          next_session: string | null;
          source: string | null;
          has_picture: boolean | null;
          failure_reasons: string[] | null;
          first_name: string | null;
          middle_name: string | null;
          last_name: string | null;
          date_of_birth: string | null;
          expiry_date: string | null;
          confidence: number | null;
          account_name: string | null;
          account_date_of_birth: string | null;
          account_email: string | null;
        }[];
      };
    };
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};

type JsonValue = Json | Date | JsonObject | readonly JsonValue[];

/** JSON that a function takes, as an object or as text: an array would be sent as an array of PostgreSQL. */
export type JsonInput = JsonObject | string;
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** The functions that the server calls. PostgreSQL does not say which arguments and results can be null. */
export type ServerFunctions = {
  accept_invitation: { Args: { p_token: string; p_user: string; p_now: Date }; Row: { outcome: string; permissions: readonly string[] } };
  announce_change: { Args: { p_user: string; p_change: string }; Returns: undefined };
  announce_lights: { Args: Record<never, never>; Returns: undefined };
  announce_rooms: { Args: Record<never, never>; Returns: undefined };
  are_articles: { Args: { s: JsonInput }; Returns: boolean };
  are_business_settings: { Args: { s: JsonInput }; Returns: boolean };
  audit: { Args: { p_actor: string; p_action: string; p_resource_type: string; p_resource_id: string; p_details?: JsonInput }; Returns: undefined };
  audit_prices: { Args: { p_actor: string; p_type: string; p_studio: string; p_before: JsonInput; p_after: JsonInput }; Returns: undefined };
  begin_card_payment: { Args: { p_payment: string; p_now: Date }; Returns: boolean };
  begin_replacing: { Args: { p_payment: string; p_until: Date }; Returns: Json };
  block_customer: { Args: { p_user: string; p_reason: string; p_until: Date; p_actor: string; p_now: Date }; Returns: Json };
  booking_details: { Args: { reference: string }; Returns: Json };
  booking_settings: { Args: Record<never, never>; Returns: Json };
  booking_totals: { Args: { p_from: Date; p_to: Date; p_studio: string }; Returns: Json };
  business_settings: { Args: Record<never, never>; Returns: Json };
  checkout_json: { Args: { p_user: string; p_studio: string; p_code: string; p_hours: number; p_now: Date }; Returns: Json };
  claim_jobs: { Args: { p_kinds: readonly string[]; p_now: Date; p_limit: number; p_seconds: number; p_running: readonly string[] }; Row: { id: string; kind: string; subject_id: string; dedupe: string; recipient: string; payload: Json; due_at: Date; deadline_at: Date; tries: number; last_error: string; lease_until: Date; lease_id: string; alerted_at: Date; notified_at: Date; done_at: Date; closed_at: Date; closed_by: string; close_reason: string; created_at: Date; request_id: string } };
  claim_webhooks: { Args: { p_now: Date; p_limit: number }; Row: { provider: string; event_id: string; type: string; object_id: string; payment_intent_id: string; livemode: boolean; tries: number; next_try_at: Date; last_error: string; received_at: Date; handled_at: Date } };
  close_hours: { Args: { p: JsonInput; p_actor: string; p_now: Date }; Returns: Json };
  close_hours_endlessly: { Args: { p: JsonInput; p_actor: string; p_now: Date }; Returns: Json };
  closure_starts: { Args: { p_closure: string; p_now: Date }; Returns: Json };
  code_hold: { Args: { p_booking: string }; Row: { dispute_id: string; status: string; reason: string; since: Date } };
  code_times: { Args: { p_booking: string }; Row: { due: Date; requested: Date; accepted: Date; mailed: Date; seen: Date; used: Date } };
  codes_in_lock: { Args: { p_lock: string; p_now: Date }; Returns: number };
  coupon_hours_problem: { Args: { p_code: string; p_start: Date; p_end: Date }; Returns: Json };
  coupon_hours_text: { Args: { p_weekdays: readonly number[]; p_from: number; p_until: number }; Returns: string };
  coupon_units: { Args: { p_code: string; p_user: string; p_now: Date }; Returns: number };
  crew_page: { Args: { p_token_hash: string; p_now: Date }; Returns: Json };
  date_or_null: { Args: { p_text: string }; Returns: string };
  delete_account: { Args: { p_user: string; p_now: Date }; Returns: Json };
  delete_account_by_service: { Args: { p_user: string; p_softly: boolean; p_now: Date }; Returns: Json };
  delete_unused_photos: { Args: { p_now: Date }; Returns: number };
  dispute_money: { Args: { p_from: Date; p_until: Date }; Row: { id: string; dispute_id: string; payment_id: string; booking_id: string; at: Date; cents: number } };
  door_answer: { Args: { p_booking: string; p_lock: string; p_from: Date; p_now: Date }; Returns: Json };
  door_log: { Args: { p_locks: JsonInput; p_from: Date; p_until: Date; p_booking: string; p_most: number }; Row: { at: Date; kind: string; studio_id: string; studio_name: string; reference: string; by_code: boolean; start_time: Date; customer_name: string; actor: string } };
  door_states: { Args: { p_now: Date }; Row: { studio_id: string; studio_name: string; last_opening: Json; codes: Json } };
  end_crew_codes: { Args: { p_booking: string; p_member: string; p_due: Date }; Returns: undefined };
  entries_of_id: { Args: { p_word: string }; Returns: readonly string[] };
  erase_account: { Args: { p_user: string; p_email: string; p_phone: string; p_now: Date }; Returns: Json };
  erase_audit_words: { Args: { p_user: string; p_email: string }; Returns: undefined };
  erase_jobs: { Args: { p_user: string; p_email: string; p_phone: string }; Returns: undefined };
  erased_event: { Args: { p_payload: JsonInput }; Returns: Json };
  export_account: { Args: { p_user: string; p_now: Date }; Returns: Json };
  export_crew: { Args: { p_user: string }; Returns: Json };
  export_feedback: { Args: { p_user: string }; Returns: Json };
  extend_closures: { Args: { p_until: Date }; Returns: number };
  finish_ledger_check: { Args: { p_check: string; p_sums: JsonInput; p_differences: JsonInput; p_now: Date; p_fees_and_payouts?: JsonInput }; Returns: undefined };
  first_prices: { Args: Record<never, never>; Row: { hour_cents: readonly number[]; volume_percents: readonly number[] } };
  follow_all_opening_hours: { Args: { p_now: Date }; Returns: undefined };
  follow_opening_hours: { Args: { p_studio: string; p_now: Date }; Returns: undefined };
  follow_sessions: { Args: { p_now: Date; p_before: string; p_after: string; p_plugs: readonly string[] }; Returns: number };
  follow_waitlist: { Args: { p_now: Date }; Returns: number };
  forget_buyers: { Args: { p_now: Date }; Returns: number };
  forget_crews: { Args: { p_now: Date }; Returns: number };
  forget_passes: { Args: { p_now: Date }; Returns: number };
  has_admin_role: { Args: { p_user: string }; Returns: boolean };
  has_permission: { Args: { p_user: string; p_session: string; p_permission: string }; Returns: boolean };
  has_second_factor: { Args: { p_user: string; p_session: string }; Returns: boolean };
  has_staff_rights: { Args: { p_user: string; p_session: string }; Returns: boolean };
  has_verified_factor: { Args: { p_user: string }; Returns: boolean };
  hidden_characters: { Args: { p_lines: boolean }; Returns: string };
  hold_booking: { Args: { p: JsonInput; p_now: Date }; Returns: Json };
  hold_early: { Args: { p_user: string; p_studio: string; p_start: Date; p_end: Date; p_hours: number; p_address: string; p_now: Date }; Returns: Json };
  holds_permission: { Args: { p_user: string; p_permission: string }; Returns: boolean };
  hour_start: { Args: { p_day: string; p_hour: number }; Returns: Date };
  hour_text: { Args: { p_hour: number }; Returns: string };
  ids_in: { Args: { p_text: string }; Returns: readonly string[] };
  integers: { Args: { list: JsonInput }; Returns: readonly number[] };
  invite_crew: { Args: { p_booking: string; p_user: string; p_token_hash: string; p_request: string; p_most: number; p_ever: number; p_now: Date }; Returns: Json };
  invite_staff: { Args: { p_id: string; p_email: string; p_permissions: readonly string[]; p_token: string; p_expires: Date; p_actor: string; p_now: Date }; Row: { outcome: string; id: string; expires_at: Date } };
  is_blocked: { Args: { p_user: string; p_now: Date }; Returns: boolean };
  is_email_reserved: { Args: { p_email: string; p_user: string; p_now: Date }; Returns: boolean };
  is_filled: { Args: { list: readonly number[]; length: number; low: number; high: number }; Returns: boolean };
  is_gift_of_money: { Args: { p_type: string; p_value: number }; Returns: boolean };
  is_opening: { Args: { p_kind: string }; Returns: boolean };
  is_owner: { Args: { p_actor: string }; Returns: boolean };
  is_pin_taken: { Args: { p_lock: string; p_fingerprint: string }; Returns: boolean };
  is_plain: { Args: { p_text: string; p_lines?: boolean }; Returns: boolean };
  is_secret_live: { Args: { p_kind: string; p_subject: string }; Returns: boolean };
  is_setting_number: { Args: { s: JsonInput; low: number; high: number }; Returns: boolean };
  is_setting_text: { Args: { s: JsonInput; low: number; high: number; lines?: boolean }; Returns: boolean };
  is_undo_begun: { Args: { p_user: string; p_now: Date }; Returns: boolean };
  issue_documents: { Args: { p_payment: string }; Returns: undefined };
  join_crew: { Args: { p_token_hash: string; p_name: string; p_terms: string; p_now: Date }; Returns: string };
  join_waitlist: { Args: { p_user: string; p_studio: string; p_start: Date; p_end: Date; p_max: number; p_now: Date }; Returns: Json };
  keep_blocked_bookings: { Args: { p_bookings: readonly string[]; p_actor: string }; Returns: number };
  keeps_permission: { Args: { p_user: string; p_permission: string }; Returns: boolean };
  leave_waitlist: { Args: { p_user: string; p_entry: string; p_now: Date }; Returns: boolean };
  ledger_items: { Args: { p_start: Date; p_end: Date; p_ids: readonly string[] }; Row: { kind: string; id: string; booking_id: string; amount_cents: number; currency: string; at: Date } };
  lock_booking: { Args: { p_booking: string }; Returns: Json };
  lock_order: { Args: { p_booking: string }; Returns: Json };
  lock_permissions: { Args: Record<never, never>; Returns: undefined };
  lose_secrets: { Args: { p_user: string }; Returns: undefined };
  mail_documents: { Args: { p_booking: string; p_request: string; p_actor: string; p_now: Date }; Returns: string };
  mail_refusal: { Args: { p_mail: string; p_now: Date }; Returns: string };
  may_read_audit_log: { Args: Record<never, never>; Returns: boolean };
  misses_second_factor: { Args: { p_user: string; p_session: string; p_permission: string }; Returns: boolean };
  money_by_month: { Args: { p_from: Date; p_to: Date; p_studio: string }; Returns: Json };
  must_show_factor: { Args: { p_user: string }; Returns: boolean };
  name_words: { Args: { p_name: string }; Returns: readonly string[] };
  names_match: { Args: { p_given: string; p_family: string; p_account: string }; Returns: boolean };
  new_reference: { Args: Record<never, never>; Returns: string };
  next_campaign_mail: { Args: { p_campaign: string; p_subscription: string; p_now: Date }; Returns: Json };
  next_code_variant: { Args: { p_lock: string; p_from: Date; p_until: Date }; Returns: number };
  next_payment_attempt: { Args: { p_payment: string; p_now: Date; p_expires: Date }; Returns: Json };
  next_terms_version: { Args: { p_now: Date }; Returns: string };
  occupancy: { Args: { p_from: Date; p_to: Date; p_studio: string }; Returns: Json };
  open_calendar_feed: { Args: { p_id: string; p_studio: string; p_hash: string; p_actor: string; p_now: Date }; Row: { id: string; token_hash: string } };
  order_rooms: { Args: { p_studios: readonly string[]; p_actor: string }; Returns: undefined };
  own_held_orders: { Args: { p_user: string; p_bookings: readonly string[] }; Returns: readonly string[] };
  own_hold: { Args: { p_user: string; p_studio: string; p_start: Date; p_end: Date }; Returns: Json };
  payment_is_processing: { Args: { p_booking: string }; Returns: boolean };
  people_of_address: { Args: { p_pattern: string }; Returns: readonly string[] };
  plain: { Args: { p_text: string }; Returns: string };
  publish_code_hold: { Args: { p_booking: string }; Returns: undefined };
  publish_hours: { Args: { p_studio: string; p_start: Date; p_end: Date; p_status: string }; Returns: undefined };
  publish_to_account: { Args: { p_user: string; p_event: string; p_payload: JsonInput }; Returns: undefined };
  queue_account_mail: { Args: { p_id: string; p_kind: string; p_user: string; p_email: string; p_change: string }; Returns: undefined };
  queue_reminders: { Args: { p_now: Date; p_texts: boolean }; Returns: number };
  queue_thanks: { Args: { p_now: Date }; Returns: number };
  raise_missing_ids: { Args: { p_now: Date; p_before: string }; Returns: number };
  rates_json: { Args: { p_studio: string; p_from: string; p_to: string }; Returns: Json };
  read_calendar_feed: { Args: { p_hash: string; p_from: Date; p_to: Date }; Returns: Json };
  record_campaign_mail: { Args: { p_campaign: string; p_subscription: string; p_outcome: string; p_reason: string; p_now: Date }; Returns: undefined };
  record_lock_known: { Args: { p_studio: string; p_lock: string; p_known: boolean; p_now: Date }; Returns: undefined };
  record_lock_state: { Args: { p_studio: string; p_lock: string; p_online: boolean; p_battery: number; p_low: number; p_now: Date }; Returns: undefined };
  refund_by_hand: { Args: { p_part: string; p_now: Date }; Returns: undefined };
  refund_rank: { Args: { status: string }; Returns: number };
  refundable_cents: { Args: { p_payment: string }; Returns: number };
  refuse_deletion: { Args: { p_user: string; p_now: Date }; Returns: Json };
  remove_phone: { Args: { p_user: string; p_now: Date }; Returns: Json };
  renew_crew_link: { Args: { p_member: string; p_user: string; p_token_hash: string; p_now: Date }; Returns: string };
  renew_invitation: { Args: { p_id: string; p_token: string; p_expires: Date; p_actor: string }; Returns: string };
  reopen_hours: { Args: { p_closure: string; p_from: Date; p_following: boolean; p_actor: string; p_now: Date }; Returns: string };
  replace_attempt: { Args: { p_payment: string; p_card: string; p_now: Date; p_expires: Date }; Returns: Json };
  require_permission: { Args: { p_permission: string }; Returns: undefined };
  resend_mail: { Args: { p_booking: string; p_mail: string; p_request: string; p_actor: string; p_now: Date }; Returns: Json };
  return_abandoned_redemptions: { Args: { p_coupon: string; p_now: Date }; Returns: number };
  revoke_calendar_feed: { Args: { p_studio: string; p_actor: string; p_now: Date }; Returns: boolean };
  revoke_crew: { Args: { p_member: string; p_user: string; p_now: Date }; Returns: Json };
  revoke_invitation: { Args: { p_id: string; p_actor: string; p_now: Date }; Returns: string };
  room_json: { Args: { p_studio: string }; Returns: Json };
  room_of_job: { Args: { p_kind: string; p_subject: string; p_payload: JsonInput }; Returns: string };
  room_of_lock: { Args: { p_lock: string }; Returns: string };
  search_patterns: { Args: { words: string }; Returns: readonly string[] };
  second_factor_due: { Args: { p_user: string }; Returns: Date };
  session_room: { Args: { p_booking: string; p_now: Date; p_before: string }; Returns: Json };
  set_business_settings: { Args: { p_changes: JsonInput; p_actor: string; p_now: Date }; Returns: Json };
  set_permissions: { Args: { p_user: string; p_permissions: readonly string[]; p_actor: string }; Returns: string };
  set_price_list: { Args: { p: JsonInput; p_actor: string; p_now: Date }; Returns: string };
  set_room: { Args: { p_studio: string; p_room: JsonInput; p_actor: string; p_now: Date }; Returns: string };
  set_second_factor_rules: { Args: { p_permissions: readonly string[]; p_actor: string; p_session: string; p_grace?: string }; Returns: string };
  set_special_days: { Args: { p: JsonInput; p_actor: string; p_now: Date }; Returns: string };
  show_secret: { Args: { p_kind: string; p_subject: string; p_studio: string; p_ends: Date; p_user: string; p_permission: string; p_now: Date }; Returns: boolean };
  site_rooms: { Args: Record<never, never>; Returns: Json };
  spans_in_the_way: { Args: { p_studio: string; p_spans: JsonInput; p_user: string; p_now: Date }; Returns: readonly string[] };
  squeezed_name: { Args: { p_words: readonly string[] }; Returns: string };
  start_campaign: { Args: { p_id: string; p_subject: string; p_body: string; p_per_minute: number; p_actor: string; p_now: Date }; Returns: Json };
  start_ledger_check: { Args: { p_month: string; p_actor: string; p_now: Date }; Returns: string };
  stop_campaign: { Args: { p_id: string; p_actor: string; p_now: Date }; Returns: boolean };
  studio_offset: { Args: { p_at: Date }; Returns: number };
  studio_offsets: { Args: { p_from: Date; p_to: Date }; Row: { starts: Date; ends: Date; offset: number } };
  take_coupon_guess: { Args: { p_user: string; p_address: string }; Returns: number };
  take_lease: { Args: { p_name: string; p_now: Date; p_every: string }; Returns: boolean };
  take_limit: { Args: { p_name: string; p_key: string; p_max: number; p_seconds: number; p_now: Date }; Returns: number };
  take_limit_units: { Args: { p_name: string; p_key: string; p_max: number; p_seconds: number; p_now: Date; p_units: number }; Row: { granted: number; wait: number } };
  tax_records_end: { Args: { p_booking: string }; Returns: string };
  tell_held_codes: { Args: { p_now: Date; p_before: string }; Returns: number };
  tell_staff_of_held_code: { Args: { p_booking: string; p_dispute: string; p_now: Date }; Returns: undefined };
  things_of_bookings: { Args: { p_user: string }; Row: { kind: string; id: string } };
  unblock_customer: { Args: { p_user: string; p_actor: string }; Returns: boolean };
  unpaid_allowance: { Args: { p_user: string; p_now: Date; p_except: readonly string[] }; Row: { fit: string; most: string; most_of_booking: string } };
  update_hourly_rates: { Args: { p_now: Date }; Returns: undefined };
  weeks_later: { Args: { at: Date; weeks: number }; Returns: Date };
  withdraw_claims: { Args: { p_studio: string; p_start: Date; p_end: Date; p_now: Date }; Returns: undefined };
  write_customer: { Args: { p_id: string; p_user: string; p_subject: string; p_body: string; p_actor: string; p_now: Date }; Returns: string };
};
